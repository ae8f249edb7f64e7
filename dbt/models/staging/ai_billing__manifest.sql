-- The report of each complete reading on each day, once: a reading that is resumed after its report may report again. Reports of
-- version 0.1.0 name no chain. By such a report the rows of the reported reading stand.
with typed as (
  select
    {{ ai_billing.as_text(ai_billing.raw_column('reading_id')) }} as reading_id,
    coalesce({{ ai_billing.as_text(ai_billing.report_column('chain')) }}, '') as chain,
    coalesce(
      {{ ai_billing.as_text(ai_billing.report_column('rows_reading_id')) }},
      {{ ai_billing.as_text(ai_billing.raw_column('reading_id')) }}
    ) as rows_reading_id,
    {{ ai_billing.as_text(ai_billing.raw_column('dataset')) }} as dataset,
    {{ ai_billing.as_text(ai_billing.raw_column('granularity')) }} as granularity,
    {{ ai_billing.as_text(ai_billing.raw_column('account')) }} as account,
    {{ ai_billing.as_text(ai_billing.raw_column('base_url')) }} as base_url,
    {{ ai_billing.to_utc(ai_billing.raw_column('window_start')) }} as window_start,
    {{ ai_billing.to_utc(ai_billing.raw_column('window_end')) }} as window_end,
    cast({{ ai_billing.raw_column('day') }} as date) as day,
    cast({{ ai_billing.raw_column('inside_window') }} as boolean) as inside_window,
    coalesce(cast({{ ai_billing.report_column('whole_window') }} as boolean), true) as is_whole_window,
    {{ ai_billing.to_utc(ai_billing.raw_column('covered_from')) }} as covered_from,
    {{ ai_billing.to_utc(ai_billing.raw_column('covered_through')) }} as covered_through,
    {{ ai_billing.to_utc(ai_billing.raw_column('began_at')) }} as began_at,
    {{ ai_billing.to_utc(ai_billing.raw_column('ended_at')) }} as ended_at,
    {{ ai_billing.to_utc(ai_billing.report_column('pass_began_at')) }} as pass_began_at,
    -- Null in the reports of earlier versions, which do not tell.
    cast({{ ai_billing.report_column('earlier_ended') }} as boolean) as has_earlier_ended,
    cast({{ ai_billing.raw_column('resumed') }} as boolean) as is_resumed,
    {{ ai_billing.to_utc(ai_billing.raw_column('first_as_of')) }} as first_as_of,
    {{ ai_billing.to_utc(ai_billing.raw_column('last_as_of')) }} as last_as_of,
    -- A reading proves nothing unless its listing is known to have stood still.
    coalesce(cast({{ ai_billing.raw_column('moved') }} as boolean), true) as is_moved,
    coalesce(
      cast({{ ai_billing.report_column('confirmed') }} as boolean),
      not cast({{ ai_billing.raw_column('moved') }} as boolean),
      false
    ) as is_confirmed,
    coalesce(cast({{ ai_billing.report_column('shrunk') }} as boolean), false) as is_shrunk,
    cast({{ ai_billing.raw_column('records') }} as {{ dbt.type_bigint() }}) as records,
    coalesce(
      cast({{ ai_billing.report_column('rows') }} as {{ dbt.type_bigint() }}),
      cast({{ ai_billing.raw_column('records') }} as {{ dbt.type_bigint() }})
    ) as standing_rows,
    nullif({{ ai_billing.json_as_text(ai_billing.raw_column('totals')) }}, 'null') as totals,
    {{ ai_billing.to_utc(ai_billing.raw_column('_airbyte_extracted_at')) }} as extracted_at
  from {{ source('ai_billing', 'export_windows') }}
),

numbered as (
  select
    typed.*,
    row_number() over (
      partition by dataset, reading_id, day, inside_window, rows_reading_id
      order by ended_at desc, extracted_at desc
    ) as age
  from typed
)

select
  {{ ai_billing.place_of('base_url', 'account') }} as place,
  chain, reading_id, rows_reading_id, dataset, granularity, account, base_url, window_start, window_end, day, inside_window,
  is_whole_window,
  -- The covered interval proves nothing if it is empty, or if one of its ends is null.
  case when covered_from < covered_through then covered_from end as covered_from,
  case when covered_from < covered_through then covered_through end as covered_through,
  coalesce(
    covered_from <= {{ ai_billing.midnight('day') }} and covered_through >= {{ ai_billing.midnight('day', 1) }}, false
  ) as is_covering,
  began_at, ended_at, pass_began_at, has_earlier_ended, is_resumed, first_as_of, last_as_of, is_moved, is_confirmed, is_shrunk, records,
  standing_rows, totals
from numbered
where age = 1
