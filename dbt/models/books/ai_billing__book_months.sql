{{ config(materialized='view') }}
-- The months whose costs are compared with the books: those that are closed, and the one that a request asks to close. `close_id` is
-- the book of the month, `requested_by` the book that is being made.
select book_view, month, max(close_id) as close_id, max(closed_at) as closed_at, max(requested_by) as requested_by
from (
  select book_view, book_month as month, close_id, closed_at, cast(null as {{ dbt.type_string() }}) as requested_by
  from {{ ref('ai_billing__book_newest') }}
  union all
  select
    book_view, book_month, cast(null as {{ dbt.type_string() }}), cast(null as {{ ai_billing.type_utc() }}), close_id
  from {{ ref('ai_billing_closes') }}
  where digest is null
) as months
group by book_view, month
