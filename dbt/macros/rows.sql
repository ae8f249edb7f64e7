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

-- Windows instead of joins: what a record is known from is found in one pass, however few rows a planner expects.
known as (
  select
    emitted.*,
    readings.scope as own_scope,
    readings.window_start,
    readings.window_end,
    min(readings.scope) over (partition by emitted.record_id) as first_scope,
    max(readings.scope) over (partition by emitted.record_id) as last_scope
  from emitted
  left join readings on emitted.reading_id = readings.reading_id
),

placed as (
  select
    known.*,
    coalesce(
      known.own_scope,
      only_scope.scope,
      case when known.first_scope = known.last_scope then known.first_scope end,
      '') as scope,
    known.own_scope is not null as is_reported
  from known
  left join only_scope on known.own_scope is null
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
