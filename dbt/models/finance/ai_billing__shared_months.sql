-- Costs of a month by team, and by the rule that takes them: the lowest one that is valid on the day of the cost and is about it. The costs
-- that no rule takes have none.
{%- set keys = ['account', 'base_url', 'day', 'service_provider_name', 'charge_category', 'project_id', 'workspace_id', 'api_key_id',
  'model_id', 'team', 'billing_currency'] %}
with costs as (
  select {{ keys | join(', ') }}, sum(billed_cost) as billed_cost, sum(effective_cost) as effective_cost
  from {{ ref('ai_billing__owned_costs') }}
  group by {{ keys | join(', ') }}
),

rules as (
  select rule_ as rule_number, label, value, first_day, end_day from {{ ref('ai_billing__shared_rules') }}
)

select
  {{ ai_billing.month_of('day') }} as month, account, base_url, team, billing_currency, rule_number as rule_,
  sum(billed_cost) as billed_cost,
  sum(effective_cost) as effective_cost
from (
  {{ ai_billing.taken_by_rules('costs', 'rules', keys, ['billed_cost', 'effective_cost']) }}
) as taken
group by {{ ai_billing.month_of('day') }}, account, base_url, team, billing_currency, rule_number
