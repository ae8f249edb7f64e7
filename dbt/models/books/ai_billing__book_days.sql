{{ config(materialized='view') }}
-- The days of each compared month that are not proven: read without a proof, read in part, or not read at all. A billing period may
-- be longer than its month. `first_known_day` is the first day of the account that was ever read: a sync does not read days before it.
with known as (
  select
    {{ ai_billing.place_of('base_url', 'account') }} as place,
    max(account) as account,
    max(base_url) as base_url,
    day,
    max(case status when 'unproven' then 2 when 'incomplete' then 1 else 0 end) as rank_
  from {{ ref('completeness') }}
  where dataset = 'costs'
  group by {{ ai_billing.place_of('base_url', 'account') }}, day
),

usage_places as (
  select
    {{ ai_billing.place_of('base_url', 'account') }} as place, max(account) as account, max(base_url) as base_url
  from {{ ref('completeness') }}
  where dataset = 'usage'
  group by {{ ai_billing.place_of('base_url', 'account') }}
),

-- An account whose usage was read may have costs that never were. A provider need not offer costs: it does if costs of another account
-- were read from the same address.
places as (
  select place, max(account) as account, max(base_url) as base_url, min(day) as first_day from known group by place
  union all
  select usage_places.place, usage_places.account, usage_places.base_url, cast(null as date)
  from usage_places
  inner join (select distinct base_url from known) as addresses on usage_places.base_url = addresses.base_url
  left join (select distinct place from known) as read_places on usage_places.place = read_places.place
  where read_places.place is null
),

periods as (
  select
    {{ ai_billing.place_of('base_url', 'account') }} as place,
    {{ ai_billing.month_of('cast(billing_period_start as date)') }} as month,
    min(cast(billing_period_start as date)) as first_day,
    max(cast(billing_period_end as date)) as end_day
  from {{ ref('current_costs') }}
  where is_counted
  group by
    {{ ai_billing.place_of('base_url', 'account') }}, {{ ai_billing.month_of('cast(billing_period_start as date)') }}
),

bounds as (
  select
    months.book_view, months.month, months.close_id, months.requested_by, places.place, places.account, places.base_url,
    case when months.book_view = 'billing-period' and periods.first_day is not null then periods.first_day else months.month end
      as first_day,
    case when months.book_view = 'billing-period' and periods.first_day is not null then periods.end_day
      else {{ ai_billing.add_months('months.month', 1) }} end as end_day,
    places.first_day as first_known_day
  from {{ ref('ai_billing__book_months') }} as months
  cross join places
  left join periods on places.place = periods.place and months.month = periods.month
),

digits as (
  {%- for digit in range(10) %}
  select {{ digit }} as digit {{ 'union all' if not loop.last }}
  {%- endfor %}
),

numbers as (
  select ones.digit + 10 * tens.digit + 100 * hundreds.digit as number_
  from digits as ones
  cross join digits as tens
  cross join (select digit from digits where digit < 4) as hundreds
),

days as (
  select bounds.*, {{ ai_billing.add_days('bounds.first_day', 'numbers.number_') }} as day
  from bounds
  inner join numbers on numbers.number_ < {{ ai_billing.days_between('bounds.first_day', 'bounds.end_day') }}
)

select
  days.book_view, days.month, days.close_id, days.requested_by, days.place, days.account, days.base_url, days.end_day, days.day,
  days.first_known_day,
  case when known.rank_ = 2 then 'not proven' when known.rank_ = 1 then 'read in part' else 'not read' end as day_status
from days
left join known on days.place = known.place and days.day = known.day
where coalesce(known.rank_, 1) > 0
