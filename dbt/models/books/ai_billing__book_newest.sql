{{ config(materialized='view') }}
-- The newest version of each book. A book without a digest is not written to its end, and does not count.
select close_id, book_view, book_month, version, closed_at
from (
  select
    closes.*, row_number() over (partition by book_view, book_month order by version desc) as age
  from {{ ref('ai_billing_closes') }} as closes
  where digest is not null
) as versions
where age = 1
