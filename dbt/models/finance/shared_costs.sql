-- Costs that rules spread over teams, month by month, and what each team bears of them (macros/shared.sql). `from_team` had the costs
-- before; null for costs of no team. Costs that a rule does not spread stay with `from_team`: is_spread is false, and why_not says why.
{%- set zero = 'cast(0 as ' ~ ai_billing.type_decimal() ~ ')' %}
with measured as (
  select month, account, base_url, team, billing_currency, rule_, 'billed' as measure, billed_cost as amount
  from {{ ref('ai_billing__shared_months') }}
  union all
  select month, account, base_url, team, billing_currency, rule_, 'effective', effective_cost
  from {{ ref('ai_billing__shared_months') }}
),

methods as (
  select distinct rule_, label, value, method from {{ ref('ai_billing__shared_rules') }}
)

select
  rows_.month, rows_.account, rows_.base_url, rows_.rule_ as rule_number, methods.label, methods.value, methods.method, rows_.from_team,
  rows_.team, rows_.is_spread, max(rows_.why_not) as why_not, rows_.billing_currency,
  sum(case when rows_.measure = 'billed' then rows_.amount else {{ zero }} end) as billed_cost,
  sum(case when rows_.measure = 'effective' then rows_.amount else {{ zero }} end) as effective_cost
from (
  {{ ai_billing.spread_of('measured', ref('ai_billing__shared_rules')) }}
) as rows_
inner join methods on rows_.rule_ = methods.rule_
group by
  rows_.month, rows_.account, rows_.base_url, rows_.rule_, methods.label, methods.value, methods.method, rows_.from_team, rows_.team,
  rows_.is_spread, rows_.billing_currency
