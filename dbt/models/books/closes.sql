{{ config(materialized='view') }}
-- The books of closed months, each version of them. `is_intact` is false if a line of the book is not as it was written.
with closes as (
  select * from {{ ref('ai_billing_closes') }} where digest is not null
),

digests as (
  {{ ai_billing.book_digests(ref('ai_billing_close_lines')) }}
)

select
  closes.close_id, closes.book_view, closes.book_month, closes.version,
  newest.close_id is not null as is_newest,
  closes.closed_at, closes.data_as_of, closes.with_accruals, closes.why, closes.digest,
  closes.digest = coalesce(digests.digest, {{ ai_billing.sha256("''") }}) as is_intact
from closes
left join {{ ref('ai_billing__book_newest') }} as newest on closes.close_id = newest.close_id
left join digests on closes.close_id = digests.close_id
