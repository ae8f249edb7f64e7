{{ config(materialized='view') }}
-- Changes of closed months: what the books hold of them, and what the next close of the view will book. A row that is pending has no
-- book yet. Accruals and their reversals are among the rows, so that a true-up can be read.
{%- set carried = ['month', 'kind', 'reason', 'day', 'method', 'found_at', 'record_id'] + ai_billing.line_owners()
  + ['workspace_id', 'api_key_id', 'amount', 'reporting_currency', 'converted_amount'] %}
select
  book_view, false as is_pending, book_month, {{ carried | join(', ') }}
from {{ ref('close_entries') }}
where is_newest and month <> book_month
union all
select
  book_view, true, cast(null as date), {{ carried | join(', ') }}
from {{ ref('ai_billing__book_open') }}
