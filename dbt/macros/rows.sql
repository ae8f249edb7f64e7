{#
  The rows of a raw table, typed, each content of each reading once: an append table may hold a page twice (emitted again
  after a kill). This is the expensive step. An incremental run repeats it only for readings of which the raw table holds
  more or fewer rows than before; in a deduplicated table these are the new readings and those that lost rows to them.
#}
{% macro rows_of(dataset) %}
{%- set columns = ai_billing.record_columns(dataset) -%}
{%- set id = "coalesce(" ~ ai_billing.as_text(ai_billing.raw_column('x_ReadingId')) ~ ", '')" -%}
{%- set incremental = ai_billing.runs_incrementally() -%}
with {% if incremental %}changed as (
  select raw_.reading_id
  from ({{ ai_billing.raw_readings(dataset) }}) as raw_
  left join (
    select reading_id, sum(copies) as rows_, max(extracted_at) as extracted_at
    from {{ this }}
    group by reading_id
  ) as held on raw_.reading_id = held.reading_id
  where held.reading_id is null
    or held.rows_ <> raw_.rows_
    or coalesce(held.extracted_at <> raw_.extracted_at, (held.extracted_at is null) <> (raw_.extracted_at is null))
),

{% endif %}raw_rows as (
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
    {{ id }} as reading_id,
    {{ ai_billing.to_utc(ai_billing.raw_column('_airbyte_extracted_at')) }} as extracted_at
  from {{ source('ai_billing', dataset) }}
  {%- if incremental %}
  where {{ id }} in (select reading_id from changed)
  {%- endif %}
),

hashed as (
  select
    raw_rows.*,
    {{ ai_billing.content_hash(columns) }} as content_hash
  from raw_rows
),

numbered as (
  select
    hashed.*,
    row_number() over (partition by reading_id, record_id, content_hash order by extracted_at desc) as emission,
    count(*) over (partition by reading_id, record_id, content_hash) as copies
  from hashed
)

select
  {%- for name in ai_billing.column_names(dataset) %}
  {{ name }},
  {%- endfor %}
  {%- for raw_name, name, kind in ai_billing.cast_columns(dataset) %}
  {{ name }}_text,
  {%- endfor %}
  reading_id,
  extracted_at,
  copies,
  content_hash,
  cast(charge_period_start as date) as day,
  {%- for name in ai_billing.required_columns(dataset) %}
  {{ name }} is not null and
  {%- endfor %}
  {%- for raw_name, name, kind in ai_billing.cast_columns(dataset) %}
  ({{ name }} is not null or {{ name }}_text is null){{ ' and' if not loop.last }}
  {%- endfor %} as is_valid
from numbered
where emission = 1
{% endmacro %}

{# Databases whose dbt adapter can replace the rows of a reading in a table. Elsewhere the step is repeated in full. #}
{% macro typed_rows_materialization() -%}
  {{ return('incremental' if target.type in ('duckdb', 'postgres', 'redshift', 'snowflake') else 'table') }}
{%- endmacro %}

{# How many rows of each reading a raw table holds, without a cast. #}
{% macro raw_readings(dataset) -%}
  select
    coalesce({{ ai_billing.as_text(ai_billing.raw_column('x_ReadingId')) }}, '') as reading_id,
    count(*) as rows_,
    {{ ai_billing.to_utc('max(' ~ ai_billing.raw_column('_airbyte_extracted_at') ~ ')') }} as extracted_at
  from {{ source('ai_billing', dataset) }}
  group by 1
{%- endmacro %}

{# Readings of which the raw table holds no row any more leave the model too. #}
{% macro drop_vanished_readings(dataset) -%}
  {%- if ai_billing.runs_incrementally() -%}
  delete from {{ this }}
  where reading_id not in (select reading_id from ({{ ai_billing.raw_readings(dataset) }}) as raw_)
  {%- endif -%}
{%- endmacro %}

{# Without a database, as where the plain views are compiled, nothing is incremental. #}
{% macro runs_incrementally() %}{{ return(execute and flags.INTROSPECT and is_incremental()) }}{% endmacro %}

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

{# An account at an address. #}
{% macro place_of(base_url, account) -%}
  {{ dbt.concat(["coalesce(" ~ base_url ~ ", '')", "' '", "coalesce(" ~ account ~ ", '')"]) }}
{%- endmacro %}

{# Statements that each model's session needs. Spark's decimals else lose their last digit in every sum of two. #}
{% macro session_settings() %}{{ return(adapter.dispatch('session_settings', 'ai_billing')()) }}{% endmacro %}
{% macro default__session_settings() %}{% endmacro %}
{% macro spark__session_settings() %}set spark.sql.decimalOperations.allowPrecisionLoss = false{% endmacro %}
{# A SQL warehouse of Databricks does not let a session set it. #}
{% macro databricks__session_settings() %}{% endmacro %}
