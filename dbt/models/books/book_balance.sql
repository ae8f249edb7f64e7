{{ config(materialized='view') }}
-- For each view that has books: what is booked of a month, what is known of it now, and what the next close will book. The row
-- without a month is that of all costs before the first book.
with books as (
  select book_view, min(book_month) as first_month, max(book_month) as last_month
  from {{ ref('ai_billing__book_newest') }}
  group by book_view
),

known as (
  select 'month' as book_view, {{ ai_billing.month_of('day') }} as month, billing_currency, sum(billed_cost) as amount
  from {{ ref('current_costs') }}
  where is_counted
  group by {{ ai_billing.month_of('day') }}, billing_currency
  union all
  select
    'billing-period', {{ ai_billing.month_of('cast(billing_period_start as date)') }}, billing_currency, sum(billed_cost)
  from {{ ref('current_costs') }}
  where is_counted
  group by {{ ai_billing.month_of('cast(billing_period_start as date)') }}, billing_currency
),

amounts as (
  select book_view, month, billing_currency, amount as booked, {{ ai_billing.zero() }} as known, {{ ai_billing.zero() }} as estimated,
    {{ ai_billing.zero() }} as pending
  from {{ ref('ai_billing__book_entries') }}
  union all
  select
    known.book_view, case when known.month >= books.first_month then known.month end, known.billing_currency, {{ ai_billing.zero() }},
    known.amount, {{ ai_billing.zero() }}, {{ ai_billing.zero() }}
  from known
  inner join books on known.book_view = books.book_view
  union all
  select
    book_view, month, billing_currency, {{ ai_billing.zero() }}, {{ ai_billing.zero() }},
    case when kind = 'accrual' and reason = 'estimate' then amount else {{ ai_billing.zero() }} end, amount
  from {{ ref('ai_billing__book_open') }}
)

select
  amounts.book_view, amounts.month, amounts.billing_currency,
  case
    when amounts.month is null then 'before the books'
    when amounts.month <= books.last_month then 'closed'
    else 'open'
  end as state,
  sum(amounts.booked) as booked,
  sum(amounts.known) as known,
  sum(amounts.estimated) as estimated,
  sum(amounts.pending) as pending
from amounts
inner join books on amounts.book_view = books.book_view
group by amounts.book_view, amounts.month, amounts.billing_currency, books.last_month
