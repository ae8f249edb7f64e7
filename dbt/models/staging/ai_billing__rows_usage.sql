{{ config(
  materialized=ai_billing.incremental_where_possible(),
  incremental_strategy='delete+insert',
  unique_key='reading_id',
  on_schema_change='fail',
  pre_hook="{{ ai_billing.drop_vanished_readings('usage') }}"
) }}
{{ ai_billing.rows_of('usage') }}
