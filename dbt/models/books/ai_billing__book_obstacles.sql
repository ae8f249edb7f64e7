{{ config(materialized='view') }}
-- Why the book that a request asks for cannot be made. `is_accruable` is true for what an accrual can stand for.
{%- set text = dbt.type_string() %}
with request as (
  select * from {{ ref('ai_billing_closes') }} where digest is null
),

books as (
  select request.book_view, min(newest.book_month) as first_month, max(newest.book_month) as last_month
  from request
  inner join {{ ref('ai_billing__book_newest') }} as newest on request.book_view = newest.book_view
  group by request.book_view
),

held as (
  select count(*) as rows_ from {{ ref('ai_billing__book_costs') }} where requested_by is not null
),

known as (
  select count(*) as days
  from {{ ref('completeness') }} as known_days
  inner join request
    on known_days.dataset = 'costs'
    and known_days.day >= request.book_month
    and known_days.day < {{ ai_billing.add_months('request.book_month', 1) }}
),

-- A billing period may end after its month.
periods as (
  select
    costs.account, costs.base_url, request.book_month as month, max(request.closed_at) as closed_at,
    max(costs.billing_period_end) as end_at
  from {{ ref('current_costs') }} as costs
  inner join request
    on {{ ai_billing.month_of('cast(costs.billing_period_start as date)') }} = request.book_month
    and request.book_view = 'billing-period'
  where costs.is_counted
  group by costs.account, costs.base_url, request.book_month
),

-- No sync reads the days before the first known day of an account. A person who accrued one of them has accepted that, so that it is
-- accrued again without a further question.
accepted as (
  select distinct days.book_view, days.month, days.place, days.day
  from {{ ref('ai_billing__book_days') }} as days
  inner join {{ ref('ai_billing__book_entries') }} as entries
    on days.book_view = entries.book_view
    and days.month = entries.month
    and days.day = entries.day
    and days.place = {{ ai_billing.place_of('entries.base_url', 'entries.account') }}
  where entries.is_open_accrual and entries.reason = 'estimate' and days.day < days.first_known_day
),

days as (
  select account, base_url, month, day, day_status as why from {{ ref('ai_billing__book_days') }} where requested_by is not null
  union all
  select distinct closing.account, closing.base_url, closing.month, closing.day, closing.reason
  from {{ ref('ai_billing__book_closing') }} as closing
  inner join request on closing.reason <> 'not proven' or closing.month <> request.book_month
  where closing.kind = 'accrual' and closing.reason <> 'estimate'
  union all
  select distinct closing.account, closing.base_url, closing.month, closing.day, 'not read'
  from {{ ref('ai_billing__book_closing') }} as closing
  inner join request on closing.month <> request.book_month
  left join accepted
    on closing.book_view = accepted.book_view
    and closing.month = accepted.month
    and closing.day = accepted.day
    and {{ ai_billing.place_of('closing.base_url', 'closing.account') }} = accepted.place
  where closing.kind = 'accrual' and closing.reason = 'estimate' and accepted.day is null
)

select
  1 as number_, false as is_accruable, cast(null as {{ text }}) as account, cast(null as {{ text }}) as base_url,
  request.book_month as month, cast(null as date) as day,
  case
    when books.last_month is null and request.version > 1 then 'no month of this view is closed yet'
    when request.book_month < books.first_month then 'it lies before the first book of this view'
    when request.version > 1 then 'it is not closed yet'
    when request.book_month <= books.last_month then 'it is closed already'
  end as why
from request
left join books on request.book_view = books.book_view
left join {{ ref('ai_billing__book_newest') }} as newest
  on request.book_view = newest.book_view and request.book_month = newest.book_month
where (request.version > 1 and newest.close_id is null) or (request.version = 1 and request.book_month <= books.last_month)
union all
select
  1, false, null, null, request.book_month, {{ ai_billing.add_months('books.last_month', 1) }}, 'months are closed in their order'
from request
inner join books on request.book_view = books.book_view
where request.version = 1 and request.book_month > {{ ai_billing.add_months('books.last_month', 1) }}
union all
select 1, false, null, null, book_month, null, 'it is not over'
from request
where closed_at < {{ ai_billing.midnight(ai_billing.add_months('book_month', 1)) }}
union all
select 1, false, account, base_url, month, cast(end_at as date), 'its billing period is not over'
from periods
where closed_at < end_at and closed_at >= {{ ai_billing.midnight(ai_billing.add_months('month', 1)) }}
union all
select 1, false, null, null, request.book_month, null, 'no costs of it are known'
from request
cross join held
cross join known
where held.rows_ = 0 and known.days = 0
union all
select 2, true, account, base_url, month, day, why from days
