-- Each budget beside the costs and the forecast of its month or fiscal year, over all accounts. Costs in another currency count only if
-- the budget is in the reporting currency, at the rate of their day. A period without costs has spent 0, and a period that has not begun
-- has no forecast. A period is not known before the last of its days that an account of the owner never read: nothing remains of the
-- budget that is known, and nothing is forecast. In the forecast of a fiscal year, each month that has not begun counts as much as the running month.
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

-- The beginnings of known days: at the first known day of an account, and after each day that was not read. `gap_day` is the first of the
-- days before it that were not read; null if all of them were not.
runs as (
  select place, day as run_day, {{ ai_billing.add_days('day_before', 1) }} as gap_day
  from (
    select place, day, lag(day) over (partition by place order by day) as day_before
    from {{ ref('ai_billing__calendar_costs') }}
  ) as days
  where day_before is null or day_before < {{ ai_billing.add_days('day', -1) }}
),

-- All accounts belong to the budget of all costs; to another one belong those that ever had costs of its owner.
owners as (
  select distinct label, coalesce(value, '') as value, place
  from (
    select 'all' as label, cast(null as {{ text }}) as value, place from runs
    {%- for label in labels %}
    union all
    select '{{ label }}', {{ label }}, {{ ai_billing.place_of('base_url', 'account') }} from {{ ref('monthly_costs') }}
    {%- endfor %}
    union all
    select 'team', team, {{ ai_billing.place_of('base_url', 'account') }} from {{ ref('team_costs') }}
  ) as places
),

unread as (
  select
    budgets.label, coalesce(budgets.value, '') as value, budgets.first_month, budgets.last_month, max(runs.run_day) as known_from
  from {{ ref('ai_billing__budgets') }} as budgets
  inner join owners on budgets.label = owners.label and coalesce(budgets.value, '') = owners.value
  inner join runs
    on owners.place = runs.place
    and runs.run_day > budgets.first_month
    and (runs.gap_day is null or runs.gap_day < {{ ai_billing.add_months('budgets.last_month', 1) }})
  group by budgets.label, coalesce(budgets.value, ''), budgets.first_month, budgets.last_month
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
    unread.known_from,
    case
      when unread.known_from is null and ahead.first_month <= running_month and months_begun = months_forecast and abs(running_cost) < 10000000000000
        and (ahead.last_month < running_month or known.complete_days >= 7)
        then begun_cost + running_cost * cast(months_ahead as {{ dbt.type_int() }})
    end as forecast_cost
  from ahead
  cross join known
  left join unread
    on ahead.label = unread.label
    and coalesce(ahead.value, '') = unread.value
    and ahead.first_month = unread.first_month
    and ahead.last_month = unread.last_month
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
  known_from,
  case when known_from is null then budget - billed_cost end as remaining,
  case when known_from is null then {{ ai_billing.ratio('billed_cost', 'budget') }} end as share_spent,
  case when known_from is null or billed_cost > budget then billed_cost > budget end as is_over,
  forecast_cost > budget as is_forecast_over,
  reporting.currency is not null as is_converted
from forecast
left join reporting on forecast.billing_currency = reporting.currency
