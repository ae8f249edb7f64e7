-- Each budget beside the costs and the forecast of its month, over all accounts. Costs in a currency other than the budget's do not
-- count. A month without costs has spent 0. A month that has not begun has no forecast.
with teams as (
  -- If one of the costs has no forecast, their sum has none.
  select
    month, team, billing_currency,
    sum(billed_cost) as billed_cost,
    case when count(*) = count(forecast_cost) then sum(forecast_cost) end as forecast_cost
  from {{ ref('team_costs') }}
  group by month, team, billing_currency
),

organization as (
  select
    month, billing_currency,
    sum(billed_cost) as billed_cost,
    case when count(*) = count(forecast_cost) then sum(forecast_cost) end as forecast_cost
  from teams
  group by month, billing_currency
),

newest as (
  select max(month) as month from teams
),

spent as (
  select
    budgets.month, budgets.team, budgets.billing_currency, budgets.budget,
    coalesce(case when budgets.team is null then organization.billed_cost else teams.billed_cost end, 0) as billed_cost,
    case
      when budgets.month > newest.month or newest.month is null then null
      when budgets.team is null then case when organization.month is null then 0 else organization.forecast_cost end
      when teams.month is null then 0
      else teams.forecast_cost
    end as forecast_cost
  from {{ ref('ai_billing__budgets') }} as budgets
  cross join newest
  left join teams
    on budgets.month = teams.month
    and budgets.team = teams.team
    and budgets.billing_currency = teams.billing_currency
  left join organization
    on budgets.month = organization.month
    and budgets.billing_currency = organization.billing_currency
)

select
  month,
  team,
  billing_currency,
  budget,
  billed_cost,
  forecast_cost,
  budget - billed_cost as remaining,
  {{ ai_billing.ratio('billed_cost', 'budget') }} as share_spent,
  billed_cost > budget as is_over,
  forecast_cost > budget as is_forecast_over
from spent
