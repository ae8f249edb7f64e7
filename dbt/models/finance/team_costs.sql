-- Costs by month and team. The team is that of the key, else that of the project, else that of the workspace. Costs without a team
-- have the team null, so that the rows add up to all costs.
{%- set keys = ['month', 'account', 'base_url', 'team', 'allocated_by', 'billing_currency'] %}
{%- set measures = ['billed_cost', 'effective_cost', 'to_date_cost', 'forecast_cost', 'previous_billed_cost', 'previous_to_date_cost'] %}
with allocated as (
  {{ ai_billing.with_team(ref('monthly_costs')) }}
)

select
  {{ keys | join(',\n  ') }},
  {%- for name in measures %}
  sum({{ name }}) as {{ name }}{{ ',' if not loop.last }}
  {%- endfor %}
from allocated
group by {{ keys | join(', ') }}
