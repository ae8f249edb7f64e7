{#
  For each day two reports. The deciding report is the newest that covers the whole day; if none does, it is the newest. The anchor
  says row by row which rows still exist: it is the newest confirmed report whose rows are in the table, or have newer versions
  there. On a day without an anchor no row counts as missing.
#}
{% macro days_of(dataset) %}
with reports as (
  select manifest.*, chains.scope, chains.is_disputed
  from {{ ref('ai_billing__manifest') }} as manifest
  inner join {{ ref('ai_billing__chains_' ~ dataset) }} as chains
    on manifest.place = chains.place and manifest.chain = chains.chain
  where manifest.dataset = '{{ dataset }}' and manifest.inside_window
),

counts as (
  select * from {{ ref('ai_billing__counts_' ~ dataset) }} where inside_window
),

deciding as (
  select *
  from (
    select
      reports.*,
      row_number() over (partition by scope, day order by case when is_covering then 0 else 1 end, reading_id desc) as rank_
    from reports
  ) as ranked
  where rank_ = 1
),

-- If several reports name the same reading as the one whose rows stand, the newest of them is enough.
statements as (
  select *
  from (
    select
      judging.*,
      row_number() over (
        partition by scope, day, rows_reading_id, is_covering, judges_strays order by reading_id desc
      ) as rank_
    from (
      select reports.*, {{ ai_billing.judges_strays() }} as judges_strays
      from reports
      where is_confirmed and not is_shrunk
    ) as judging
  ) as ranked
  where rank_ = 1
),

weighed as (
  select
    statements.scope, statements.day, statements.reading_id, statements.rows_reading_id, statements.is_covering,
    statements.judges_strays,
    max(statements.window_start) as window_start, max(statements.window_end) as window_end,
    max(statements.standing_rows) as standing_rows,
    coalesce(sum(counts.rows_), 0) as rows_
  from statements
  left join counts
    on statements.scope = counts.scope
    and statements.day = counts.day
    and (counts.reading_id = statements.rows_reading_id or counts.reading_id > statements.reading_id)
  group by
    statements.scope, statements.day, statements.reading_id, statements.rows_reading_id, statements.is_covering,
    statements.judges_strays
),

anchored as (
  select
    weighed.*,
    row_number() over (partition by scope, day order by case when is_covering then 0 else 1 end, reading_id desc) as rank_,
    row_number() over (
      partition by scope, day, judges_strays order by case when is_covering then 0 else 1 end, reading_id desc
    ) as stray_rank
  from weighed
  where rows_ >= standing_rows
),

anchors as (
  select * from anchored where rank_ = 1
),

-- The newest report that may judge strays. A stray that its reading neither lists nor takes over as a row of the day is gone.
stray_judges as (
  select * from anchored where judges_strays = 1 and stray_rank = 1
)

select
  deciding.scope, deciding.place, deciding.account, deciding.base_url, deciding.is_disputed, deciding.day,
  deciding.reading_id, deciding.chain, deciding.rows_reading_id, deciding.granularity, deciding.window_start,
  deciding.window_end, deciding.covered_from, deciding.covered_through, deciding.is_covering, deciding.began_at,
  deciding.pass_began_at, deciding.last_as_of, deciding.is_moved, deciding.is_confirmed,
  deciding.is_shrunk, deciding.records, deciding.standing_rows, deciding.totals,
  coalesce(counts.rows_, 0) as arrived_rows,
  anchors.reading_id as anchor_reading_id,
  anchors.rows_reading_id as anchor_rows_reading_id,
  anchors.window_start as anchor_window_start,
  anchors.window_end as anchor_window_end,
  stray_judges.reading_id as stray_judge_id,
  stray_judges.window_start as stray_judge_window_start,
  stray_judges.window_end as stray_judge_window_end
from deciding
left join counts
  on deciding.scope = counts.scope and deciding.day = counts.day and deciding.rows_reading_id = counts.reading_id
left join anchors on deciding.scope = anchors.scope and deciding.day = anchors.day
left join stray_judges on deciding.scope = stray_judges.scope and deciding.day = stray_judges.day
{% endmacro %}

{#
  The newest version of each record. `judge_reading_id` is the reading that found the record missing; null if none did. On a day with
  an anchor these rows count:

    - the rows that stand by the anchor, and rows of later readings;
    - rows outside the anchor's window;
    - rows longer than their day, unless the anchor's window contains the row or a window that returned it. Providers select such
      rows by start, by overlap or by containment, so that another window may leave them out. A sync without reports does not tell the
      windows of its rows. Later windows have returned them if their reports say that the rows of this sync stand;
    - strays (rows that start outside the window that returned them), until a complete reading of that window, or of a window
      that contains the row, no longer lists them. A second reading that writes nothing lists strays, but judges none.
#}
{% macro judged_rows(dataset) %}
{%- set codes = [ai_billing.typed_rows(dataset, false, ''), ai_billing.rows_with_scope(dataset, false, ''),
  ai_billing.rows_with_judge(dataset, false, '')] -%}
{{- ai_billing.rows_with_judge(dataset, ai_billing.runs_incrementally(), ai_billing.code_hash(codes)) }}
{% endmacro %}

{% macro rows_with_judge(dataset, incremental, code_hash) %}
{#- If these columns agree, two rows are equal: all other columns follow from them. -#}
{%- set told = ['record_id', 'reading_id', 'content_hash', 'extracted_at', 'place', 'scope', 'account', 'base_url', 'is_reported',
  'window_start', 'window_end', 'inside_window', 'age'] -%}
with days as (
  select * from {{ ref('ai_billing__days_' ~ dataset) }}
),

strays as (
  select * from {{ ref('ai_billing__strays_' ~ dataset) }}
),

reports as (
  select
    manifest.day, manifest.reading_id, manifest.rows_reading_id, manifest.window_start, manifest.window_end, chains.scope,
    {{ ai_billing.judges_strays('manifest.') }} as judges_strays
  from {{ ref('ai_billing__manifest') }} as manifest
  inner join {{ ref('ai_billing__chains_' ~ dataset) }} as chains
    on manifest.place = chains.place and manifest.chain = chains.chain
  where manifest.dataset = '{{ dataset }}'
    and manifest.inside_window
    and manifest.is_confirmed
    and not manifest.is_shrunk
),

-- Each of these windows has returned the rows of another reading. So has the part that all of them share.
shown_again as (
  select scope, day, rows_reading_id, max(window_start) as window_start, min(window_end) as window_end
  from reports
  where rows_reading_id <> reading_id
  group by scope, day, rows_reading_id
),

-- A row without a known account is missing if the anchors of all accounts are newer than the row.
unplaced as (
  select day, min(anchor_reading_id) as reading_id
  from days
  group by day
  having count(distinct place) = (select count(distinct place) from days)
),
{% if incremental %}
compared as (
  select
    {{ told | join(', ') }}, '{{ code_hash }}' as code_hash, day, charge_period_start, charge_period_end
  from {{ ref('ai_billing__placed_' ~ dataset) }}
  where age = 1
),

{{ ai_billing.judging_steps('compared') }},

changed as (
  {{ ai_billing.changed_records('compared_judged', told + ['code_hash', 'listed_by', 'listed_in_pass', 'judge_reading_id']) }}
),
{% endif %}
newest as (
  select *
  from {{ ref('ai_billing__placed_' ~ dataset) }}
  where age = 1
  {%- if incremental %}
    and (record_id is null or record_id in (select record_id from changed))
  {%- endif %}
),

{{ ai_billing.judging_steps('newest') }}

select
  {%- for name in ai_billing.carried_columns(dataset) %}
  {{ name }},
  {%- endfor %}
  day,
  is_valid,
  {%- for name in told if name != 'record_id' %}
  {{ name }},
  {%- endfor %}
  is_long,
  is_stray,
  listed_by,
  listed_in_pass,
  judge_reading_id,
  '{{ code_hash }}' as code_hash
from newest_judged
{% endmacro %}

{# The steps that add `judge_reading_id` to `rows`; the result is `<rows>_judged`. Each row is judged without regard to other rows. #}
{% macro judging_steps(rows) -%}
{{ rows }}_keyed as (
  select
    {{ rows }}.*,
    coalesce(
      charge_period_end > {{ ai_billing.midnight('day', 1) }} or charge_period_end < charge_period_start, true
    ) as is_long,
    not inside_window as is_stray,
    -- Null for all other rows, so that a database can join by hash.
    case when not inside_window then reading_id end as stray_reading_id,
    case when not is_reported then reading_id end as unreported_reading_id,
    case when scope = '' then day end as unplaced_day
  from {{ rows }}
),

{{ rows }}_weighed as (
  select
    keyed.*,
    strays.listed_by,
    strays.listed_in_pass,
    strays.judge_reading_id as stray_judge,
    unplaced.reading_id as unplaced_judge,
    case when keyed.is_stray then days.stray_judge_id else days.anchor_reading_id end as anchor_reading_id,
    case
      when keyed.scope = '' then not coalesce(unplaced.reading_id > keyed.reading_id, false)
      when keyed.is_stray then strays.judge_reading_id is null and not coalesce(
        days.chain <> ''
        and days.stray_judge_id > strays.listed_by
        and days.stray_judge_window_start <= keyed.charge_period_start
        and days.stray_judge_window_end >= keyed.charge_period_end,
        false)
      when days.anchor_reading_id is null then true
      when keyed.reading_id = days.anchor_rows_reading_id or keyed.reading_id > days.anchor_reading_id then true
      when keyed.charge_period_start < days.anchor_window_start then true
      when keyed.charge_period_start >= days.anchor_window_end then true
      when keyed.is_long then not (
        (days.anchor_window_start <= keyed.charge_period_start and days.anchor_window_end >= keyed.charge_period_end)
        or coalesce(
          days.anchor_window_start <= coalesce(keyed.window_start, shown_again.window_start)
          and days.anchor_window_end >= coalesce(keyed.window_end, shown_again.window_end),
          false))
      else false
    end as is_live
  from {{ rows }}_keyed as keyed
  left join days on keyed.scope = days.scope and keyed.day = days.day
  left join strays
    on keyed.scope = strays.scope
    and keyed.day = strays.day
    and keyed.stray_reading_id = strays.reading_id
  left join shown_again
    on keyed.scope = shown_again.scope
    and keyed.day = shown_again.day
    and keyed.unreported_reading_id = shown_again.rows_reading_id
  left join unplaced on keyed.unplaced_day = unplaced.day
),

-- The first report of the day by which the rows of another reading stand, or which judges strays that no reading of their window has.
{{ rows }}_first_missing as (
  select gone.scope, gone.day, gone.reading_id, gone.is_stray, min(reports.reading_id) as judge_reading_id
  from (
    select
      scope, day, reading_id, is_stray, coalesce(listed_by, reading_id) as listed_by,
      min(charge_period_start) as starts_at, max(charge_period_end) as ends_at
    from {{ rows }}_weighed
    where not is_live and stray_judge is null
    group by scope, day, reading_id, is_stray, coalesce(listed_by, reading_id)
  ) as gone
  inner join reports
    on gone.scope = reports.scope
    and gone.day = reports.day
    and reports.reading_id > gone.listed_by
    and (
      (not gone.is_stray and reports.rows_reading_id <> gone.reading_id)
      or (gone.is_stray and reports.judges_strays = 1
        and reports.window_start <= gone.starts_at and reports.window_end >= gone.ends_at)
    )
  group by gone.scope, gone.day, gone.reading_id, gone.is_stray
),

{{ rows }}_judged as (
  select
    weighed.*,
    case when not weighed.is_live
      then coalesce(first_missing.judge_reading_id, stray_judge, unplaced_judge, anchor_reading_id)
    end as judge_reading_id
  from {{ rows }}_weighed as weighed
  left join {{ rows }}_first_missing as first_missing
    on weighed.scope = first_missing.scope
    and weighed.day = first_missing.day
    and weighed.reading_id = first_missing.reading_id
    and weighed.is_stray = first_missing.is_stray
)
{%- endmacro %}

{#
  Strays are rows that start outside the window that returned them. Here they are counted by the reading that wrote them. Each later
  reading that sees them lists them again. They are missing once a complete reading of their window no longer lists them, or a report
  says that none of them is left, as a reading whose listing moved does. If a process dies within the reports of a reading, no report
  lists some of its strays. The reading itself counts as the one that listed these.
#}
{% macro strays_of(dataset) %}
with reports as (
  select manifest.*, chains.scope
  from {{ ref('ai_billing__manifest') }} as manifest
  inner join {{ ref('ai_billing__chains_' ~ dataset) }} as chains
    on manifest.place = chains.place and manifest.chain = chains.chain
  where manifest.dataset = '{{ dataset }}'
),

-- The rows of its days are the last ones of a report: before them, a process may have died within the list of its strays.
windows as (
  select
    scope, reading_id, chain, window_start, window_end,
    max(case when inside_window and is_whole_window and not is_moved and not is_resumed then 1 else 0 end) as speaks
  from reports
  group by scope, reading_id, chain, window_start, window_end
),

listings as (
  select *
  from (
    select
      reports.*,
      row_number() over (partition by scope, day, rows_reading_id order by reading_id desc) as rank_
    from reports
    where not inside_window
  ) as ranked
  where rank_ = 1
),

listed as (
  select
    listings.scope, listings.day, listings.rows_reading_id, listings.chain, listings.reading_id as listed_by,
    listings.pass_began_at, listings.standing_rows,
    coalesce(own.window_start, listings.window_start) as window_start,
    coalesce(own.window_end, listings.window_end) as window_end
  from listings
  left join windows as own on listings.scope = own.scope and listings.rows_reading_id = own.reading_id
),

unlisted as (
  select
    counts.scope, counts.day, counts.reading_id as rows_reading_id, own.chain, counts.reading_id as listed_by,
    cast(null as {{ ai_billing.type_utc() }}) as pass_began_at, cast(counts.rows_ as {{ dbt.type_bigint() }}) as standing_rows,
    own.window_start, own.window_end
  from {{ ref('ai_billing__counts_' ~ dataset) }} as counts
  inner join windows as own on counts.scope = own.scope and counts.reading_id = own.reading_id
  left join listings
    on counts.scope = listings.scope
    and counts.day = listings.day
    and counts.reading_id = listings.rows_reading_id
  where not counts.inside_window and listings.rows_reading_id is null
),

placed as (
  select * from listed
  union all
  select * from unlisted
)

select
  placed.scope, placed.day, placed.rows_reading_id as reading_id, placed.chain, placed.listed_by,
  placed.pass_began_at as listed_in_pass, placed.standing_rows as listed_rows,
  case when placed.standing_rows = 0 then placed.listed_by else min(windows.reading_id) end as judge_reading_id
from placed
left join windows
  on placed.scope = windows.scope
  and windows.speaks = 1
  and windows.reading_id > placed.listed_by
  and windows.window_start <= placed.window_start
  and windows.window_end >= placed.window_end
group by
  placed.scope, placed.day, placed.rows_reading_id, placed.chain, placed.listed_by, placed.pass_began_at,
  placed.standing_rows
{% endmacro %}

{# 1 if a report tells of the strays of its window: its reading has noted them, or it has written rows. `prefix`: of the report's columns. #}
{% macro judges_strays(prefix='') -%}
  case when {{ prefix }}is_whole_window or {{ prefix }}rows_reading_id = {{ prefix }}reading_id then 1 else 0 end
{%- endmacro %}
