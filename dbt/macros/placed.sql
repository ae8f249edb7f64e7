{#
  Every row with its scope. The report of its reading names the scope; without a report, the chain in its reading id does. If neither is
  known, a sync of version 0.1.0 was cut short. The row then belongs to the account of the table if there is only one. If there are
  several, the row belongs to the account that has other rows of its record; else to none.

  `age` numbers the versions of a record. The newest has age 1: it has the greatest reading id, as in a deduplicated table.

  An incremental run compares the new columns of each row with those in the table, and repeats the SQL window functions only for
  records that differ. These functions read only the rows of one record, so the result equals that of a full run.
#}
{% macro placed_rows(dataset) %}
{%- set codes = [ai_billing.typed_rows(dataset, false, ''), ai_billing.rows_with_scope(dataset, false, '')] -%}
{{- ai_billing.rows_with_scope(dataset, ai_billing.runs_incrementally(), ai_billing.code_hash(codes)) }}
{% endmacro %}

{% macro rows_with_scope(dataset, incremental, code_hash) %}
{%- set compared = ['record_id', 'reading_id', 'content_hash', 'code_hash', 'extracted_at', 'place', 'scope', 'account', 'base_url',
  'is_reported', 'window_start', 'window_end'] -%}
with chains as (
  select * from {{ ref('ai_billing__chains_' ~ dataset) }}
),

places as (
  select place, max(account) as account, max(base_url) as base_url from chains group by place
),

readings as (
  select
    reading_id, max(place) as place, max(chain) as chain, max(window_start) as window_start, max(window_end) as window_end
  from {{ ref('ai_billing__manifest') }}
  where dataset = '{{ dataset }}'
  group by reading_id
),

named as (
  select chain, max(place) as place from chains where chain <> '' group by chain having count(*) = 1
),

only_place as (
  select max(place) as place from chains having count(distinct place) = 1
),

{% if incremental %}told as (
  {{ ai_billing.told_rows(dataset, ['record_id', 'reading_id', 'content_hash', 'extracted_at']) }}
),

-- The place is null if only other rows of the record would tell it. Such a row always differs from the table, so that each run
-- repeats it.
expected as (
  select told.*, coalesce(told.own_place, only_place.place) as place
  from told
  left join only_place on told.own_place is null
),

scoped as (
  select
    expected.*, coalesce(chains.scope, expected.place) as scope, places.account, places.base_url, '{{ code_hash }}' as code_hash
  from expected
  left join chains on expected.place = chains.place and expected.chain = chains.chain
  left join places on expected.place = places.place
),

changed as (
  {{ ai_billing.changed_records('scoped', compared) }}
),

{% endif %}known_rows as (
  {{ ai_billing.told_rows(dataset, ['*']) }}
  {%- if incremental %}
  where rows_.record_id is null or rows_.record_id in (select record_id from changed)
  {%- endif %}
),

{{ ai_billing.known_places() }},

placed as (
  select
    known.*,
    coalesce(
      known.own_place,
      only_place.place,
      case when known.first_place = known.last_place then known.first_place end,
      '') as place
  from known
  left join only_place on known.own_place is null
)

select
  {%- for name in ai_billing.carried_columns(dataset) %}
  placed.{{ name }},
  {%- endfor %}
  placed.reading_id,
  placed.extracted_at,
  placed.content_hash,
  '{{ code_hash }}' as code_hash,
  placed.day,
  placed.is_valid,
  placed.place,
  coalesce(chains.scope, placed.place) as scope,
  places.account,
  places.base_url,
  placed.is_reported,
  placed.window_start,
  placed.window_end,
  coalesce(
    placed.charge_period_start >= placed.window_start and placed.charge_period_start < placed.window_end,
    not placed.is_reported
  ) as inside_window,
  row_number() over (
    partition by placed.place, placed.record_id
    order by placed.reading_id desc, placed.extracted_at desc, placed.record_updated_at desc, placed.content_hash desc
  ) as age
from placed
left join chains on placed.place = chains.place and placed.chain = chains.chain
left join places on placed.place = places.place
{% endmacro %}

{# Columns of the typed rows, with place, chain and window. These come from the report of the reading, or from the chain in the
   reading id. #}
{% macro told_rows(dataset, columns) -%}
  select
    {%- for name in columns %}
    rows_.{{ name }},
    {%- endfor %}
    coalesce(readings.place, named.place) as own_place,
    coalesce(readings.chain, named.chain, '') as chain,
    readings.reading_id is not null as is_reported,
    readings.window_start,
    readings.window_end
  from {{ ref('ai_billing__rows_' ~ dataset) }} as rows_
  left join readings on rows_.reading_id = readings.reading_id
  left join named on case when length(rows_.reading_id) = 14 then substr(rows_.reading_id, 10, 5) end = named.chain
{%- endmacro %}

{# The rows of `known_rows`. Each has the first and the last place in which any row of its record is known: a row without a place of
   its own takes one of these. #}
{% macro known_places() %}{{ return(adapter.dispatch('known_places', 'ai_billing')()) }}{% endmacro %}
{% macro default__known_places() -%}
-- Window functions find the place of a record in one pass. A join could be slow if the planner expects too few rows.
known as (
  select
    known_rows.*,
    min(own_place) over (partition by record_id) as first_place,
    max(own_place) over (partition by record_id) as last_place
  from known_rows
)
{%- endmacro %}
{# DuckDB always joins by hash, and sorts whole rows for a window function, which takes long. #}
{% macro duckdb__known_places() -%}
-- Few records have a row without a place.
partly_known as (
  select record_id, min(own_place) as first_place, max(own_place) as last_place
  from known_rows
  group by record_id
  having count(*) > count(own_place)
),

known as (
  select known_rows.*, partly_known.first_place, partly_known.last_place
  from known_rows
  left join partly_known on known_rows.record_id is not distinct from partly_known.record_id
)
{%- endmacro %}
