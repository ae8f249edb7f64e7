-- Costs in one currency, by day. The variable ai_billing_reporting_currency names the currency; without it the model is empty. The
-- rate is the newest one that was valid on the day. No rate is the inverse of another, or the product of two others.
{%- set reporting = var('ai_billing_reporting_currency') %}
{%- set labels = ['day', 'account', 'base_url', 'service_provider_name', 'model_id', 'project_id', 'workspace_id',
  'api_key_id', 'charge_category', 'cost_status', 'billing_currency'] %}
with costs as (
  select {{ labels | join(', ') }}, sum(billed_cost) as billed_cost, max(day_status) as day_status
  from {{ ref('current_costs') }}
  where is_counted and {{ '1 = 1' if reporting else '1 = 0' }}
  group by {{ labels | join(', ') }}
),

rates as (
  select from_currency, valid_from, rate
  from {{ ref('ai_billing__exchange_rates') }}
  where to_currency = '{{ reporting or '' }}'
),

days as (
  select distinct day, billing_currency from costs
),

-- For each day with costs the first day of the rate that is valid on it.
valid as (
  select days.day, days.billing_currency, max(rates.valid_from) as valid_from
  from days
  inner join rates on days.billing_currency = rates.from_currency and rates.valid_from <= days.day
  group by days.day, days.billing_currency
),

rated as (
  select
    costs.*,
    case when costs.billing_currency = '{{ reporting or '' }}' then cast(1 as {{ ai_billing.type_decimal() }}) else rates.rate end
      as exchange_rate
  from costs
  left join valid on costs.day = valid.day and costs.billing_currency = valid.billing_currency
  left join rates on valid.billing_currency = rates.from_currency and valid.valid_from = rates.valid_from
),

converted as (
  select rated.*, {{ ai_billing.times('billed_cost', 'exchange_rate') }} as converted_billed_cost from rated
)

select
  {{ labels | join(',\n  ') }},
  billed_cost,
  cast('{{ reporting or '' }}' as {{ dbt.type_string() }}) as reporting_currency,
  exchange_rate,
  converted_billed_cost,
  billing_currency <> '{{ reporting or '' }}' and converted_billed_cost is not null as is_converted,
  case
    when exchange_rate is null then 'no exchange rate for this currency on this day'
    when converted_billed_cost is null then 'too large to be converted exactly'
  end as why_not,
  day_status
from converted
