{# Incremental runs: a step repeats its work only for rows that changed. The result equals that of a full run. #}

{# The databases whose dbt adapter can replace the rows of some keys in a table. On other databases each run repeats the whole step. #}
{% macro incremental_where_possible() -%}
  {{ return('incremental' if target.type in ('duckdb', 'postgres', 'redshift', 'snowflake') else 'table') }}
{%- endmacro %}

{#
  Nothing is incremental without a database, for example when compile.py makes the plain views. A table that an older version of this
  package made has no column `code_hash`. It gets the full new result; dbt then refuses to write it, and its message says what to do.
#}
{% macro runs_incrementally() %}
  {%- if not (execute and flags.INTROSPECT and is_incremental()) -%}
    {{ return(false) }}
  {%- endif -%}
  {{ return('code_hash' in (adapter.get_columns_in_relation(this) | map(attribute='name') | map('lower'))) }}
{% endmacro %}

{#
  A hash of the SQL of a step and of the steps before it, and of the session's settings. After an upgrade of this package or a change of a variable the SQL differs:
  the rows that the older SQL made are then made again. Empty if each run makes all rows.
#}
{% macro code_hash(codes) %}
  {%- set kept = execute and flags.INTROSPECT and ai_billing.incremental_where_possible() == 'incremental' -%}
  {{ return(local_md5((codes | join) ~ ai_billing.session_settings())[:12] if kept else '') }}
{% endmacro %}

{#
  The ids of the records whose rows differ between `relation` and the model's own table. `columns` are compared; the record id is one
  of them. A record differs if one side holds a row that the other side lacks or holds fewer times.
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

{# Deletes the records that no longer have a row in the step before. Rows without a record id are deleted in each run, because
   each run writes them again. #}
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
