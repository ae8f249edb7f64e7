{#
  The typed rows of a raw table. An append table may hold a page twice, because it is emitted again after a kill; so each content of
  a reading is taken once. The text of a value is kept only if its cast failed. This step is expensive. An incremental run repeats it
  only for readings whose rows in the raw table have changed. In a deduplicated table these are the new readings, and the older
  readings that lost rows to them.
#}
{% macro rows_of(dataset) %}
{%- set codes = [ai_billing.typed_rows(dataset, false, '')] -%}
{{- ai_billing.typed_rows(dataset, ai_billing.runs_incrementally(), ai_billing.code_hash(codes)) }}
{% endmacro %}

{% macro typed_rows(dataset, incremental, code_hash) %}
{%- set columns = ai_billing.record_columns(dataset) -%}
{%- set id = "coalesce(" ~ ai_billing.as_text(ai_billing.raw_column('x_ReadingId')) ~ ", '')" -%}
with {% if code_hash %}raw_readings as (
  {{ ai_billing.raw_readings(dataset) }}
),

{% endif %}{% if incremental %}changed as (
  select raw_.reading_id
  from raw_readings as raw_
  left join (
    select
      reading_id,
      sum(case when code_hash = '{{ code_hash }}' then copies else 0 end) as rows_,
      max(extracted_at) as extracted_at,
      max(reading_hash) as reading_hash
    from {{ this }}
    group by reading_id
  ) as held on raw_.reading_id = held.reading_id
  where held.reading_id is null
    or held.rows_ <> raw_.rows_
    or held.reading_hash <> raw_.reading_hash
    or coalesce(held.extracted_at <> raw_.extracted_at, (held.extracted_at is null) <> (raw_.extracted_at is null))
),

{% endif %}raw_rows as {{ ai_billing.inlined() }}(
  select
    {%- for raw_name, name, kind in columns %}
    {{ ai_billing.as_text(ai_billing.raw_column(raw_name)) }} as {{ name ~ ('_text' if kind != 'text' else '') }},
    {%- endfor %}
    {%- for raw_name, name, kind in columns if kind == 'instant' %}
    {{ ai_billing.to_utc(ai_billing.raw_column(raw_name)) }} as {{ name }},
    {%- endfor %}
    {%- for raw_name, name, kind in columns if kind == 'decimal' %}
    {{ ai_billing.to_quantity(ai_billing.raw_column(raw_name), ai_billing.as_text(ai_billing.raw_column('ConsumedUnit')))
      if name == 'consumed_quantity' else ai_billing.to_decimal(ai_billing.raw_column(raw_name)) }} as {{ name }},
    {%- endfor %}
    {{ id }} as reading_id,
    {{ ai_billing.to_utc(ai_billing.raw_column('_airbyte_extracted_at')) }} as extracted_at
  from {{ source('ai_billing', dataset) }}
  {%- if incremental %}
  where {{ id }} in (select reading_id from changed)
  {%- endif %}
),

hashed as {{ ai_billing.inlined() }}(
  select
    raw_rows.*,
    {{ ai_billing.content_hash(columns) }} as content_hash
  from raw_rows
),

{{ ai_billing.numbered_emissions(dataset, id) }}

select
  {%- for name in ai_billing.column_names(dataset) %}
  {{ name }},
  {%- endfor %}
  {%- for raw_name, name, kind in ai_billing.cast_columns(dataset) %}
  case when {{ name }} is null then {{ name }}_text end as {{ name }}_text,
  {%- endfor %}
  numbered.reading_id,
  numbered.extracted_at,
  copies,
  content_hash,
  '{{ code_hash }}' as code_hash,
  {{ 'raw_readings.reading_hash' if code_hash else "''" }} as reading_hash,
  cast(charge_period_start as date) as day,
  {%- for name in ai_billing.required_columns(dataset) %}
  {{ name }} is not null and
  {%- endfor %}
  {%- for raw_name, name, kind in ai_billing.cast_columns(dataset) %}
  ({{ name }} is not null or {{ name }}_text is null){{ ' and' if not loop.last }}
  {%- endfor %} as is_valid
from numbered
{%- if code_hash %}
left join raw_readings on numbered.reading_id = raw_readings.reading_id
{%- endif %}
where emission = 1
{% endmacro %}

{# The rows of `hashed`, with the number of each emission of the same content of a reading. #}
{% macro numbered_emissions(dataset, id) %}{{ return(adapter.dispatch('numbered_emissions', 'ai_billing')(dataset, id)) }}{% endmacro %}
{% macro default__numbered_emissions(dataset, id) -%}
numbered as (
  select
    hashed.*,
    row_number() over (partition by reading_id, record_id, content_hash order by extracted_at desc) as emission,
    count(*) over (partition by reading_id, record_id, content_hash) as copies
  from hashed
)
{%- endmacro %}
{# DuckDB sorts whole rows for a window function, which takes long. #}
{% macro duckdb__numbered_emissions(dataset, id) -%}
-- A reading rarely has a record twice.
repeated as (
  select {{ id }} as reading_id, {{ ai_billing.as_text(ai_billing.raw_column('x_RecordId')) }} as record_id
  from {{ source('ai_billing', dataset) }}
  group by 1, 2
  having count(*) > 1
),

numbered as (
  select hashed.*, 1 as emission, 1 as copies
  from hashed
  anti join repeated on hashed.reading_id = repeated.reading_id and hashed.record_id is not distinct from repeated.record_id
  union all
  select
    hashed.*,
    row_number() over (partition by reading_id, record_id, content_hash order by extracted_at desc) as emission,
    count(*) over (partition by reading_id, record_id, content_hash) as copies
  from hashed
  semi join repeated on hashed.reading_id = repeated.reading_id and hashed.record_id is not distinct from repeated.record_id
)
{%- endmacro %}

{# DuckDB writes the result of a step that is read twice into memory, unless the step forbids it. #}
{% macro inlined() %}{{ return(adapter.dispatch('inlined', 'ai_billing')()) }}{% endmacro %}
{% macro default__inlined() %}{% endmacro %}
{% macro duckdb__inlined() %}not materialized {% endmacro %}

{# For each reading the number, the time and a hash of its rows in the raw table. No value is cast, so this is cheap. #}
{% macro raw_readings(dataset) -%}
  select
    coalesce({{ ai_billing.as_text(ai_billing.raw_column('x_ReadingId')) }}, '') as reading_id,
    count(*) as rows_,
    {{ ai_billing.to_utc('max(' ~ ai_billing.raw_column('_airbyte_extracted_at') ~ ')') }} as extracted_at,
    {{ ai_billing.sum_of_hashes('raw_row') }} as reading_hash
  from {{ source('ai_billing', dataset) }} as raw_row
  group by 1
{%- endmacro %}

{# Deletes the readings that no longer have a row in the raw table. #}
{% macro drop_vanished_readings(dataset) -%}
  {%- if ai_billing.runs_incrementally() -%}
  delete from {{ this }}
  where reading_id not in (select reading_id from ({{ ai_billing.raw_readings(dataset) }}) as raw_)
  {%- endif -%}
{%- endmacro %}

{# The sum of the hashes of whole rows, as text; the order of the rows does not matter. Empty on databases without such a hash. There
   only the number and the time of the rows show a change. #}
{% macro sum_of_hashes(row) %}{{ return(adapter.dispatch('sum_of_hashes', 'ai_billing')(row)) }}{% endmacro %}
{% macro default__sum_of_hashes(row) %}''{% endmacro %}
{# DuckDB writes a timestamp with a zone as a text of the session's zone, and the hash of a row's content holds that text. So readings are
   typed again in another zone: one that writes these two instants, of winter and summer, in another way. #}
{% macro duckdb__sum_of_hashes(row) -%}
  concat({{ ai_billing.as_text('sum(hash(' ~ row ~ '))') }}, ' ', {{ ai_billing.as_text("timestamptz '2026-01-15 00:00:00+00'") }}, ' ',
    {{ ai_billing.as_text("timestamptz '2026-07-15 00:00:00+00'") }})
{%- endmacro %}
{% macro postgres__sum_of_hashes(row) -%}
  {{ ai_billing.as_text('sum(hashtextextended(cast(' ~ row ~ ' as text), 0))') }}
{%- endmacro %}
{% macro redshift__sum_of_hashes(row) %}''{% endmacro %}

{# A hash of the content of a row. Null and an empty text give different hashes. #}
{% macro content_hash(columns) -%}
  {%- set parts = [] -%}
  {%- for raw_name, name, kind in columns -%}
    {%- set column = name ~ ('_text' if kind != 'text' else '') -%}
    {%- do parts.append("case when " ~ column ~ " is null then '-' else " ~ dbt.concat(["'='", column]) ~ " end") -%}
    {%- do parts.append("'|'") -%}
  {%- endfor -%}
  {{ dbt.hash(ai_billing.joined(parts)) }}
{%- endmacro %}

{# An account at an address. #}
{% macro place_of(base_url, account) -%}
  {{ dbt.concat(["coalesce(" ~ base_url ~ ", '')", "' '", "coalesce(" ~ account ~ ", '')"]) }}
{%- endmacro %}

{# Statements that each model's session needs. Without this one, Spark drops the last digit when it adds two decimals. #}
{% macro session_settings() %}{{ return(adapter.dispatch('session_settings', 'ai_billing')()) }}{% endmacro %}
{% macro default__session_settings() %}{% endmacro %}
{% macro spark__session_settings() %}set spark.sql.decimalOperations.allowPrecisionLoss = false{% endmacro %}
{# A SQL warehouse of Databricks does not allow this setting. #}
{% macro databricks__session_settings() %}{% endmacro %}
