-- Costs of other currencies in the reporting currency, by month and by each label that a budget may have, so that budgets in the reporting
-- currency count them. A forecast has more than the costs so far: this part is converted at the newest rate of the currency. Costs without
-- a rate are in neither.
{%- set labels = ['project_id', 'model_id', 'service_provider_name'] %}
{%- set text = dbt.type_string() %}
with converted as (
  select
    {{ ai_billing.month_of('rows_.day') }} as month,
    {{ labels | join(', ') }}, team, reporting_currency,
    converted_billed_cost as billed_cost, converted_billed_cost as forecast_cost
  from (
    {{ ai_billing.with_team(ref('converted_costs')) }}
  ) as rows_
  where is_converted
),

newest as (
  select costs.billing_currency, costs.reporting_currency, max(costs.exchange_rate) as rate
  from {{ ref('converted_costs') }} as costs
  inner join (
    select billing_currency, max(day) as day from {{ ref('converted_costs') }} where is_converted group by billing_currency
  ) as last_ on costs.billing_currency = last_.billing_currency and costs.day = last_.day
  where costs.is_converted
  group by costs.billing_currency, costs.reporting_currency
),

ahead as (
  select
    monthly.month, {{ labels | join(', ') }}, newest.reporting_currency,
    {{ ai_billing.zero() }} as billed_cost,
    {{ ai_billing.times('(monthly.forecast_cost - monthly.billed_cost)', 'newest.rate') }} as forecast_cost
  from {{ ref('monthly_costs') }} as monthly
  inner join newest on monthly.billing_currency = newest.billing_currency
),

team_ahead as (
  select
    monthly.month, monthly.team, newest.reporting_currency,
    {{ ai_billing.zero() }} as billed_cost,
    {{ ai_billing.times('(monthly.forecast_cost - monthly.billed_cost)', 'newest.rate') }} as forecast_cost
  from {{ ref('team_costs') }} as monthly
  inner join newest on monthly.billing_currency = newest.billing_currency
)
{%- for rows_ in ['converted', 'ahead'] %}
{%- for label in [none] + labels %}

select
  month, '{{ label or 'all' }}' as label, {{ label or 'cast(null as ' ~ text ~ ')' }} as value, reporting_currency as billing_currency,
  billed_cost, forecast_cost
from {{ rows_ }}
{{ 'where ' ~ label ~ ' is not null' if label }}
union all
{%- endfor %}
{%- endfor %}

select month, 'team' as label, team as value, reporting_currency, billed_cost, forecast_cost
from converted
where team is not null
union all
select month, 'team' as label, team as value, reporting_currency, billed_cost, forecast_cost
from team_ahead
where team is not null
