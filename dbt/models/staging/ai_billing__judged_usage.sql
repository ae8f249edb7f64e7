{{ config(
  materialized=ai_billing.incremental_where_possible(),
  incremental_strategy='delete+insert',
  unique_key='record_id',
  on_schema_change='fail',
  pre_hook="{{ ai_billing.drop_vanished_records('ai_billing__placed_usage') }}"
) }}
{{ ai_billing.judged_rows('usage') }}
