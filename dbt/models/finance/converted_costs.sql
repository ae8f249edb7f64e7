-- The rows of daily_costs in one currency (ai_billing__reporting_currency); without one the model is empty. The rate is the newest one that
-- was valid on the day. No rate is the inverse of another, or the product of two others. Each row is rounded by itself, after 18 digits and
-- halves away from zero; sums of rows are not rounded again.
with reporting as (
  select currency as reporting_currency from {{ ref('ai_billing__reporting_currency') }}
),

costs as (
  select daily.*, reporting.reporting_currency
  from {{ ref('daily_costs') }} as daily
  cross join reporting
  where daily.records > 0
),

rates as (
  select from_currency, to_currency, valid_from, rate
  from {{ ref('ai_billing__exchange_rates') }}
),

days as (
  select distinct day, billing_currency, reporting_currency from costs
),

-- For each day with costs the first day of the rate that is valid on it.
valid as (
  select days.day, days.billing_currency, days.reporting_currency, max(rates.valid_from) as valid_from
  from days
  inner join rates
    on days.billing_currency = rates.from_currency
    and days.reporting_currency = rates.to_currency
    and rates.valid_from <= days.day
  group by days.day, days.billing_currency, days.reporting_currency
),

rated as (
  select
    costs.*,
    case when costs.billing_currency = costs.reporting_currency then cast(1 as {{ ai_billing.type_decimal() }}) else rates.rate end
      as exchange_rate
  from costs
  left join valid on costs.day = valid.day and costs.billing_currency = valid.billing_currency
  left join rates
    on valid.billing_currency = rates.from_currency
    and valid.reporting_currency = rates.to_currency
    and valid.valid_from = rates.valid_from
),

converted as (
  select rated.*, {{ ai_billing.times('billed_cost', 'exchange_rate') }} as converted_billed_cost from rated
)

select
  converted.*,
  billing_currency <> reporting_currency and converted_billed_cost is not null as is_converted,
  case
    when exchange_rate is null then 'no exchange rate for this currency on this day'
    when converted_billed_cost is null then 'too large to be converted exactly'
  end as why_not
from converted
