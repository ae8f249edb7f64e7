{# How a step is repeated only for what has changed, with the result of a full run. #}

{# Databases whose dbt adapter can replace the rows of some keys in a table. Elsewhere the steps are repeated in full. #}
{% macro incremental_where_possible() -%}
  {{ return('incremental' if target.type in ('duckdb', 'postgres', 'redshift', 'snowflake') else 'table') }}
{%- endmacro %}

{#
  Without a database, as where the plain views are compiled, nothing is incremental. A table of an older version of this package,
  which had no `code_hash`, meets the whole new one; dbt then refuses it, and names the way out.
#}
{% macro runs_incrementally() %}
  {%- if not (execute and flags.INTROSPECT and is_incremental()) -%}
    {{ return(false) }}
  {%- endif -%}
  {{ return('code_hash' in (adapter.get_columns_in_relation(this) | map(attribute='name') | map('lower'))) }}
{% endmacro %}

{#
  A hash of the SQL of a step and of the steps before it: rows that other SQL has made, as before an upgrade of this package or
  under another variable, are made again. Empty where all rows always are.
#}
{% macro code_hash(codes) %}
  {%- set kept = execute and flags.INTROSPECT and ai_billing.incremental_where_possible() == 'incremental' -%}
  {{ return(local_md5(codes | join)[:12] if kept else '') }}
{% endmacro %}

{#
  The records of which `relation` and the model's own table hold different rows. `columns` are those that tell rows apart, the
  record id among them. A row that only one of both holds, or holds more often, makes its record differ.
#}
{% macro changed_records(relation, columns) -%}
  select distinct record_id
  from (
    select record_id
    from (
      select {{ columns | join(', ') }}, 1 as side from {{ relation }}
      union all
      select {{ columns | join(', ') }}, -1 as side from {{ this }}
    ) as sides
    group by {{ columns | join(', ') }}
    having sum(side) <> 0
  ) as different
{%- endmacro %}

{# Records of which another step holds no row any more leave the model. Rows without a record id do so at each run, which
   writes them again. #}
{% macro drop_vanished_records(step) -%}
  {%- if ai_billing.runs_incrementally() -%}
  delete from {{ this }}
  where record_id is null
    or record_id in (
      select kept.record_id
      from {{ this }} as kept
      where not exists (select 1 from {{ ref(step) }} as held where held.record_id = kept.record_id)
    )
  {%- endif -%}
{%- endmacro %}
