{{ config(materialized='view') }}
-- The entries of each book, record by record. An estimate has no record.
select
  entries.close_id, entries.book_view, closes.book_month, closes.version, closes.is_newest, closes.closed_at,
  entries.month, entries.kind, entries.reason, entries.day, entries.method, entries.found_at, entries.record_id,
  {%- for name in ai_billing.line_owners() + ['workspace_id', 'api_key_id'] %}
  entries.{{ name }},
  {%- endfor %}
  entries.amount, entries.reporting_currency, entries.converted_amount
from {{ ref('ai_billing_close_entries') }} as entries
inner join {{ ref('closes') }} as closes on entries.close_id = closes.close_id
