{#
  Deletes rows from an append table if a newer reading has returned the same record. The models then show the same as before, except
  that `restatements` loses its history. Run it after `dbt build`:

      dbt run-operation ai_billing.prune_superseded --args '{dataset: costs, keep_days: 90}'

  `keep_days` keeps the rows that were emitted in the last days, counted back from the newest row; 0 keeps none of them. If two
  accounts write without a label (see completeness), none of their rows is deleted.
#}
{% macro prune_superseded(dataset, keep_days=0) %}
  {%- set reading = "coalesce(" ~ ai_billing.as_text(ai_billing.raw_column('x_ReadingId')) ~ ", '')" -%}
  {%- set record = ai_billing.as_text(ai_billing.raw_column('x_RecordId')) -%}
  {%- set placed = ref('ai_billing__placed_' ~ dataset) -%}
  {%- set statement_ -%}
  delete from {{ source('ai_billing', dataset) }}
  where exists (
    select 1
    from (
      select older.reading_id, older.record_id
      from {{ placed }} as older
      inner join {{ placed }} as newest
        on older.place = newest.place
        and older.record_id = newest.record_id
        and newest.age = 1
        and older.reading_id < newest.reading_id
      inner join (select max(extracted_at) as extracted_at from {{ placed }}) as last_
        on older.extracted_at <= {{ ai_billing.moved_by_days('last_.extracted_at', -1 * keep_days) }}
      where older.place not in (
        select place from {{ ref('ai_billing__chains_' ~ dataset) }} where is_disputed
      )
    ) as superseded
    where superseded.reading_id = {{ reading }} and superseded.record_id = {{ record }}
  )
  {%- endset -%}
  {#- dbt does not commit after an operation. On databases where a connection begins a transaction, the operation has to commit. -#}
  {%- if adapter.type() in ('postgres', 'redshift') -%}
    {%- do run_query('begin; ' ~ statement_ ~ '; commit;') -%}
  {%- else -%}
    {%- do run_query(statement_) -%}
  {%- endif -%}
{% endmacro %}
