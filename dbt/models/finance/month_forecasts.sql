-- The forecast of each account's running month by currency, with the range in which the month will end in about 80 of 100 cases. On
-- each side the range is as wide as a part of the greatest change from one week to the next in the eight weeks before: for each day that
-- is left, and one more, a twelfth below and a tenth above, because spend has no upper end. dbt/replay.py measures how often the
-- month ended inside.
with months as (
  select
    month, account, base_url, billing_currency, through_day, days_in_month, days_counted,
    max(forecast_method) as forecast_method,
    sum(to_date_cost) as to_date_cost,
    case when count(*) = count(forecast_cost) then sum(forecast_cost) end as forecast_cost
  from {{ ref('monthly_costs') }}
  where is_running
  group by month, account, base_url, billing_currency, through_day, days_in_month, days_counted
),

paced as (
  select
    months.*, days_in_month - days_counted + 1 as days_of_range,
    case when pace.weekly_change < 10000000000000 then pace.weekly_change end as weekly_change
  from months
  left join {{ ref('ai_billing__usage_pace') }} as pace
    on {{ ai_billing.place_of('months.base_url', 'months.account') }} = pace.place
    and months.month = pace.month
    and months.billing_currency = pace.billing_currency
)

select
  month, account, base_url, billing_currency, through_day, days_in_month, days_counted, to_date_cost, forecast_cost,
  -- Usage that is charged does not become less, unless the forecast says so.
  case when forecast_cost is not null and weekly_change is not null then greatest(
    forecast_cost - {{ ai_billing.divided('weekly_change * days_of_range', 12) }}, least(forecast_cost, to_date_cost)
  ) end as forecast_low,
  forecast_cost + {{ ai_billing.divided('weekly_change * days_of_range', 10) }} as forecast_high,
  weekly_change,
  forecast_method
from paced
