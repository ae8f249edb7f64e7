{{ config(materialized='view') }}
-- For each close of a view the books that counted right after it: the newest version of each.
with versions as (
  select
    closes.*, lead(closed_at) over (partition by book_view, book_month order by version) as replaced_at
  from {{ ref('ai_billing_closes') }} as closes
  where digest is not null
)

select made.close_id as after_close, versions.close_id, versions.book_view, versions.book_month
from versions as made
inner join versions
  on made.book_view = versions.book_view
  and made.closed_at >= versions.closed_at
  and (versions.replaced_at is null or made.closed_at < versions.replaced_at)
