-- The costs that each team bears in a month: its own costs, and its part of shared costs. All rows together are all costs. Costs that no
-- team has, and that no rule spreads, have no team.
{%- set keys = ['month', 'account', 'base_url', 'team', 'billing_currency'] %}
{%- set zero = 'cast(0 as ' ~ ai_billing.type_decimal() ~ ')' %}
with costs as (
  select
    {{ keys | join(', ') }}, billed_cost as own_billed, effective_cost as own_effective,
    {{ zero }} as shared_billed, {{ zero }} as shared_effective
  from {{ ref('ai_billing__shared_months') }}
  where rule_ is null
  union all
  select {{ keys | join(', ') }}, billed_cost, effective_cost, {{ zero }}, {{ zero }}
  from {{ ref('shared_costs') }}
  where not is_spread
  union all
  select {{ keys | join(', ') }}, {{ zero }}, {{ zero }}, billed_cost, effective_cost
  from {{ ref('shared_costs') }}
  where is_spread
)

select
  {{ keys | join(',\n  ') }},
  sum(own_billed) as own_billed_cost,
  sum(shared_billed) as shared_billed_cost,
  sum(own_billed) + sum(shared_billed) as billed_cost,
  sum(own_effective) as own_effective_cost,
  sum(shared_effective) as shared_effective_cost,
  sum(own_effective) + sum(shared_effective) as effective_cost
from costs
group by {{ keys | join(', ') }}
