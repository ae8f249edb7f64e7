{#
  The rows of a raw table, each content of each reading once: an append table may hold a page twice (emitted again after
  a kill). Every row knows the reading that returned it, and through it the account and address that it belongs to.

  A row whose reading has not been reported (a sync that was cut short, or a manifest that has not arrived) belongs to the
  only account of the table; where there are several, to the one that its record id is known from; else to none.
#}
{% macro rows_of(dataset) %}
{%- set columns = ai_billing.record_columns(dataset) -%}
with raw as (
  select
    {%- for raw_name, name, kind in columns %}
    {{ ai_billing.as_text(ai_billing.raw_column(raw_name)) }} as {{ name ~ ('_text' if kind != 'text' else '') }},
    {%- endfor %}
    {%- for raw_name, name, kind in columns if kind == 'instant' %}
    {{ ai_billing.to_utc(ai_billing.raw_column(raw_name)) }} as {{ name }},
    {%- endfor %}
    {%- for raw_name, name, kind in columns if kind == 'decimal' %}
    {{ ai_billing.to_decimal(ai_billing.raw_column(raw_name)) }} as {{ name }},
    {%- endfor %}
    coalesce({{ ai_billing.as_text(ai_billing.raw_column('x_ReadingId')) }}, '') as reading_id,
    {{ ai_billing.to_utc(adapter.quote('_airbyte_extracted_at')) }} as extracted_at
  from {{ source('ai_billing', dataset) }}
),

hashed as (
  select
    raw.*,
    {{ ai_billing.content_hash(columns) }} as content_hash
  from raw
),

numbered as (
  select
    hashed.*,
    row_number() over (partition by reading_id, record_id, content_hash order by extracted_at desc) as emission
  from hashed
),

emitted as (
  select * from numbered where emission = 1
),

readings as (
  select distinct reading_id, scope, account, base_url, window_start, window_end
  from {{ ref('ai_billing__manifest') }}
  where dataset = '{{ dataset }}'
),

scopes as (
  select scope, max(account) as account, max(base_url) as base_url from readings group by scope
),

only_scope as (
  select max(scope) as scope from scopes having count(*) = 1
),

unreported as (
  select distinct record_id from emitted where reading_id not in (select reading_id from readings)
),

known_records as (
  select emitted.record_id, max(readings.scope) as scope
  from emitted
  inner join readings on emitted.reading_id = readings.reading_id
  where emitted.record_id in (select record_id from unreported)
  group by emitted.record_id
  having count(distinct readings.scope) = 1
),

placed as (
  select
    emitted.*,
    coalesce(readings.scope, only_scope.scope, known_records.scope, '') as scope,
    readings.window_start,
    readings.window_end,
    readings.reading_id is not null as is_reported
  from emitted
  left join readings on emitted.reading_id = readings.reading_id
  left join only_scope on readings.reading_id is null
  left join known_records on readings.reading_id is null and emitted.record_id = known_records.record_id
)

select
  {%- for name in ai_billing.column_names(dataset) %}
  placed.{{ name }},
  {%- endfor %}
  {%- for raw_name, name, kind in ai_billing.cast_columns(dataset) %}
  placed.{{ name }}_text,
  {%- endfor %}
  placed.reading_id,
  placed.extracted_at,
  placed.content_hash,
  placed.scope,
  scopes.account,
  scopes.base_url,
  placed.is_reported,
  placed.window_start,
  placed.window_end,
  cast(placed.charge_period_start as date) as day,
  placed.charge_period_start >= placed.window_start
    and placed.charge_period_start < placed.window_end as inside_window,
  {%- for name in ai_billing.required_columns(dataset) %}
  placed.{{ name }} is not null and
  {%- endfor %}
  {%- for raw_name, name, kind in ai_billing.cast_columns(dataset) %}
  (placed.{{ name }} is not null or placed.{{ name }}_text is null){{ ' and' if not loop.last }}
  {%- endfor %} as is_valid
from placed
left join scopes on placed.scope = scopes.scope
{% endmacro %}

{# Tells contents apart; null is not the same as an empty text. #}
{% macro content_hash(columns) -%}
  {%- set parts = [] -%}
  {%- for raw_name, name, kind in columns -%}
    {%- set column = name ~ ('_text' if kind != 'text' else '') -%}
    {%- do parts.append("case when " ~ column ~ " is null then '-' else " ~ dbt.concat(["'='", column]) ~ " end") -%}
    {%- do parts.append("'|'") -%}
  {%- endfor -%}
  {{ dbt.hash(dbt.concat(parts)) }}
{%- endmacro %}

{# Whose rows they are: readings judge only rows of their own account and address. #}
{% macro scope_of(base_url, account) -%}
  {{ dbt.concat(["coalesce(" ~ base_url ~ ", '')", "' '", "coalesce(" ~ account ~ ", '')"]) }}
{%- endmacro %}
