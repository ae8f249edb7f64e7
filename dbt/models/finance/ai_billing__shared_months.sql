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
  select distinct rule_, label, coalesce(value, '') as value, first_day, end_day from {{ ref('ai_billing__shared_rules') }}
),

-- BigQuery has no outer join without an equality of two columns, so each cost is there once more without a rule.
candidates as (
  select {{ keys | join(', ') }}, billed_cost, effective_cost, cast(null as {{ dbt.type_int() }}) as rule_ from costs
  union all
  select
    {%- for key in keys %}
    costs.{{ key }},
    {%- endfor %}
    costs.billed_cost, costs.effective_cost, rules.rule_
  from costs
  cross join rules
  where costs.day >= rules.first_day
    and costs.day < rules.end_day
    and rules.value = case
      {%- for label in ai_billing.shared_labels() %}
      when rules.label = '{{ label }}' then costs.{{ label }}
      {%- endfor %}
      when costs.team is null then ''
    end
),

taken as (
  select
    {{ keys | join(', ') }}, min(rule_) as rule_, max(billed_cost) as billed_cost, max(effective_cost) as effective_cost
  from candidates
  group by {{ keys | join(', ') }}
)

select
  {{ ai_billing.month_of('day') }} as month, account, base_url, team, billing_currency, rule_,
  sum(billed_cost) as billed_cost,
  sum(effective_cost) as effective_cost
from taken
group by {{ ai_billing.month_of('day') }}, account, base_url, team, billing_currency, rule_
