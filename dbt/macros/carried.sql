{#
  The steps that place and judge rows need few columns of a record. `carried_columns` are those that they hold, and `with_values` is a
  step, or some rows of one, with all columns of its rows.

  Most databases hold all columns in each step: a join of large tables could be slow there if the planner expects too few rows. DuckDB
  always joins by hash, and to write a column of all rows takes it longer than such a join. So there the columns stay in the typed rows.
#}
{% macro carried_columns(dataset) %}{{ return(adapter.dispatch('carried_columns', 'ai_billing')(dataset)) }}{% endmacro %}
{% macro default__carried_columns(dataset) %}
  {{ return(ai_billing.column_names(dataset) + ai_billing.texts_of(dataset)) }}
{% endmacro %}
{% macro duckdb__carried_columns(dataset) %}
  {{ return(['record_id', 'record_updated_at', 'charge_period_start', 'charge_period_end']) }}
{% endmacro %}

{% macro with_values(rows, dataset) %}{{ return(adapter.dispatch('with_values', 'ai_billing')(rows, dataset)) }}{% endmacro %}
{% macro default__with_values(rows, dataset) %}{{ rows }}{% endmacro %}
{#
  The hash of a row's content tells the rows of a reading apart. DuckDB keeps the rows of the step in memory for the join. So each
  column that both sides have is taken from the typed rows.
#}
{% macro duckdb__with_values(rows, dataset) -%}
  {%- set made = ['extracted_at', 'day', 'is_valid'] -%}
  (
    select
      held.* exclude ({{ (ai_billing.carried_columns(dataset) + made) | join(', ') }}),
      {%- for name in ai_billing.column_names(dataset) + ai_billing.texts_of(dataset) + made %}
      typed.{{ name }}{{ ',' if not loop.last }}
      {%- endfor %}
    from {{ rows }} as held
    inner join {{ ref('ai_billing__rows_' ~ dataset) }} as typed
      on held.reading_id = typed.reading_id and held.content_hash = typed.content_hash
  )
{%- endmacro %}

{# The versions of all records, or only of records that have several versions: the others need no order. #}
{% macro several_versions(dataset) %}{{ return(adapter.dispatch('several_versions', 'ai_billing')(dataset)) }}{% endmacro %}
{% macro default__several_versions(dataset) %}{{ ref('ai_billing__placed_' ~ dataset) }}{% endmacro %}
{% macro duckdb__several_versions(dataset) -%}
  {%- set placed = ref('ai_billing__placed_' ~ dataset) -%}
  {{ ai_billing.with_values('(select * from ' ~ placed ~ ' semi join (select place, record_id from ' ~ placed ~ ' where age > 1) as older'
    ~ ' on ' ~ placed ~ '.place = older.place and ' ~ placed ~ '.record_id is not distinct from older.record_id)', dataset) }}
{%- endmacro %}

{# The texts from which columns were cast. #}
{% macro texts_of(dataset) %}
  {%- set names = [] -%}
  {%- for raw_name, name, kind in ai_billing.cast_columns(dataset) %}{% do names.append(name ~ '_text') %}{% endfor -%}
  {{ return(names) }}
{% endmacro %}
