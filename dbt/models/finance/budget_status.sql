-- Each budget beside the costs and the forecast of its month or fiscal year, over all accounts. Costs in another currency count only if
-- the budget is in the reporting currency, at the rate of their day. A period without costs has spent 0, and a period that has not begun
-- has no forecast. In the forecast of a fiscal year, each month that has not begun counts as much as the running month.
{%- set labels = ['project_id', 'model_id', 'service_provider_name'] %}
{%- set text = dbt.type_string() %}
with months as (
  select month, 'all' as label, cast(null as {{ text }}) as value, billing_currency, billed_cost, forecast_cost
  from {{ ref('monthly_costs') }}
  {%- for label in labels %}
  union all
  select month, '{{ label }}', {{ label }}, billing_currency, billed_cost, forecast_cost
  from {{ ref('monthly_costs') }}
  where {{ label }} is not null
  {%- endfor %}
  union all
  select month, 'team', team, billing_currency, billed_cost, forecast_cost
  from {{ ref('team_costs') }}
  where team is not null
  union all
  select month, label, value, billing_currency, billed_cost, forecast_cost
  from {{ ref('ai_billing__converted_months') }}
),

-- The reporting currency, if there are costs in another one.
reporting as (
  select distinct reporting_currency as currency
  from {{ ref('converted_costs') }}
  where billing_currency <> reporting_currency
),

-- If one of the costs has no forecast, their sum has none.
summed as (
  select
    month, label, value, billing_currency,
    sum(billed_cost) as billed_cost,
    case when count(*) = count(forecast_cost) then sum(forecast_cost) end as forecast_cost
  from months
  group by month, label, value, billing_currency
),

running as (
  select {{ ai_billing.month_of('max(through_day)') }} as month from {{ ref('monthly_costs') }}
),

-- A period without costs has a forecast of 0, but before seven complete days nothing is known of the end of the month.
known as (
  select count(distinct calendar.day) as complete_days
  from {{ ref('ai_billing__calendar_costs') }} as calendar
  inner join running on calendar.month = running.month
  where calendar.is_complete
),

spent as (
  select
    budgets.label, budgets.value, budgets.team, budgets.fiscal_year, budgets.first_month, budgets.last_month,
    budgets.billing_currency, budgets.budget, running.month as running_month,
    coalesce(sum(summed.billed_cost), 0) as billed_cost,
    sum(case when summed.month <= running.month then 1 else 0 end) as months_begun,
    sum(case when summed.month <= running.month and summed.forecast_cost is not null then 1 else 0 end) as months_forecast,
    coalesce(sum(case when summed.month <= running.month then summed.forecast_cost end), 0) as begun_cost,
    coalesce(sum(case when summed.month = running.month then summed.forecast_cost end), 0) as running_cost
  from {{ ref('ai_billing__budgets') }} as budgets
  cross join running
  left join summed
    on budgets.label = summed.label
    and coalesce(budgets.value, '') = coalesce(summed.value, '')
    and budgets.billing_currency = summed.billing_currency
    and summed.month >= budgets.first_month
    and summed.month <= budgets.last_month
  group by
    budgets.label, budgets.value, budgets.team, budgets.fiscal_year, budgets.first_month, budgets.last_month,
    budgets.billing_currency, budgets.budget, running.month
),

ahead as (
  select
    spent.*,
    case
      when last_month > running_month
        then (extract(year from last_month) - extract(year from running_month)) * 12
          + extract(month from last_month) - extract(month from running_month)
      else 0
    end as months_ahead
  from spent
),

forecast as (
  select
    ahead.*,
    case
      when first_month <= running_month and months_begun = months_forecast and abs(running_cost) < 10000000000000
        and (last_month < running_month or known.complete_days >= 7)
        then begun_cost + running_cost * cast(months_ahead as {{ dbt.type_int() }})
    end as forecast_cost
  from ahead
  cross join known
)

select
  case when fiscal_year is null then first_month end as month,
  fiscal_year,
  first_month,
  last_month,
  label,
  value,
  team,
  billing_currency,
  budget,
  billed_cost,
  forecast_cost,
  budget - billed_cost as remaining,
  {{ ai_billing.ratio('billed_cost', 'budget') }} as share_spent,
  billed_cost > budget as is_over,
  forecast_cost > budget as is_forecast_over,
  reporting.currency is not null as is_converted
from forecast
left join reporting on forecast.billing_currency = reporting.currency
