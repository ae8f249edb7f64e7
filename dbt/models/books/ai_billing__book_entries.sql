{{ config(materialized='view') }}
-- The entries of the newest version of each book. An accrual is open until a later book reverses it. If a month was closed again, the
-- entries that other books hold of it from before no longer count: `is_void`.
with entries as (
  select
    entries.*, newest.book_month, booked.closed_at as booked_at, months.closed_at as month_closed_at
  from {{ ref('ai_billing_close_entries') }} as entries
  inner join {{ ref('ai_billing__book_newest') }} as newest on entries.close_id = newest.close_id
  inner join {{ ref('ai_billing_closes') }} as booked on entries.booked_by = booked.close_id
  left join {{ ref('ai_billing__book_newest') }} as months
    on entries.book_view = months.book_view and entries.month = months.book_month
),

reversed as (
  select reverses, max(booked_at) as reversed_at from entries where kind = 'reversal' group by reverses
)

select
  entries.*,
  entries.kind = 'accrual' and reversed.reverses is null as is_open_accrual,
  -- An accrual and its reversal are void together or not at all.
  coalesce(case when entries.kind = 'accrual' then reversed.reversed_at else entries.booked_at end < entries.month_closed_at, false)
    as is_void
from entries
left join reversed on entries.booked_by = reversed.reverses
