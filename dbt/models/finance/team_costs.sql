-- Costs by month and team. The team is that of the key on the day of the cost, else that of the project, else that of the workspace. Costs
-- without a team have the team null, so that the rows add up to all costs. The part of a forecast that is still to come belongs to the
-- team that has the costs at the end of the month.
{%- set keys = ['month', 'account', 'base_url', 'team', 'allocated_by', 'billing_currency'] %}
{%- set measures = ['billed_cost', 'effective_cost', 'to_date_cost', 'previous_billed_cost', 'previous_to_date_cost'] %}
{%- set zero = 'cast(0 as ' ~ ai_billing.type_decimal() ~ ')' %}
with months as (
  {{ ai_billing.months_of(ref('ai_billing__owned_costs'), ['team', 'allocated_by', 'billing_currency']) }}
),

ahead as (
  select
    {%- for name in keys %}
    rows_.{{ name }},
    {%- endfor %}
    rows_.previous_billed_cost, rows_.previous_to_date_cost, rows_.forecast_cost - rows_.billed_cost as amount
  from (
    {{ ai_billing.with_team("(select monthly.*, " ~ ai_billing.add_days(ai_billing.add_months('month', 1), -1) ~ " as day from "
      ~ ref('monthly_costs') ~ " as monthly where forecast_cost <> billed_cost)") }}
  ) as rows_
),

both_ as (
  select
    {{ keys | join(', ') }}, {{ measures | join(', ') }},
    case when forecast_cost is not null then {{ zero }} end as ahead
  from months
  union all
  select
    {{ keys | join(', ') }}, {{ zero }}, {{ zero }}, {{ zero }},
    case when previous_billed_cost is not null then {{ zero }} end,
    case when previous_to_date_cost is not null then {{ zero }} end,
    amount
  from ahead
)

select
  {{ keys | join(',\n  ') }},
  {%- for name in measures %}
  sum({{ name }}) as {{ name }},
  {%- endfor %}
  sum(billed_cost) + sum(ahead) as forecast_cost
from both_
group by {{ keys | join(', ') }}
