{{ config(materialized='view') }}
-- The lines of each book. The books of a view together are its lines with `is_newest`.
select
  lines.close_id, lines.book_view, lines.book_month, closes.version, closes.is_newest, closes.closed_at,
  lines.month, lines.kind, lines.reason, lines.day, lines.method,
  {%- for name in ai_billing.line_owners() %}
  lines.{{ name }},
  {%- endfor %}
  lines.entries, lines.amount, lines.reporting_currency, lines.converted_amount
from {{ ref('ai_billing_close_lines') }} as lines
inner join {{ ref('closes') }} as closes on lines.close_id = closes.close_id
