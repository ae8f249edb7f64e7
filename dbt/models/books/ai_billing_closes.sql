{{ config(materialized='incremental', full_refresh=false, on_schema_change='append_new_columns') }}
{{ ai_billing.book_table('closes') }}
