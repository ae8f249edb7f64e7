-- Costs that rules spread over teams, month by month, and what each team bears of them. `from_team` had the costs before; null for what no
-- team had. A part is the amount divided by the number of teams, or times the share of the team, rounded after 18 digits. The team with
-- the greatest share bears what is left over by rounding; among equals it is the first one by name. So the parts add up to the whole.
-- Fixed amounts are those of a month. They are taken from the largest amount that the rule takes, if accounts or teams have several.
-- What a rule does not spread stays with `from_team`: is_spread is false, and why_not says why.
{%- set pool = ['month', 'account', 'base_url', 'rule_', 'from_team', 'billing_currency', 'measure'] %}
{%- set basis = ['rule_', 'month', 'billing_currency', 'measure'] %}
{%- set zero = 'cast(0 as ' ~ ai_billing.type_decimal() ~ ')' %}
{%- set limit = '10000000000000' %}
{%- set text = dbt.type_string() %}
with measured as (
  select month, account, base_url, team, billing_currency, rule_, 'billed' as measure, billed_cost as amount
  from {{ ref('ai_billing__shared_months') }}
  union all
  select month, account, base_url, team, billing_currency, rule_, 'effective', effective_cost
  from {{ ref('ai_billing__shared_months') }}
),

rules as (
  select * from {{ ref('ai_billing__shared_rules') }}
),

methods as (
  select distinct rule_, label, value, method from rules
),

pools as (
  select
    month, account, base_url, rule_, team as from_team, billing_currency, measure, amount,
    row_number() over (
      partition by {{ basis | join(', ') }}
      order by abs(amount) desc, coalesce(account, ''), coalesce(base_url, ''), coalesce(team, '')
    ) as rank_of_amount
  from measured
  where rule_ is not null and amount <> 0
),

-- What each team spent on its own, over all accounts.
spent as (
  select month, billing_currency, measure, team, sum(amount) as amount
  from measured
  where rule_ is null and team is not null
  group by month, billing_currency, measure, team
),

asked as (
  select distinct rule_, month, billing_currency, measure from pools
),

bearers as (
  select
    asked.rule_, asked.month, asked.billing_currency, asked.measure, rules.method,
    coalesce(rules.team, spent.team) as team,
    case
      when rules.method = 'evenly' then cast(1 as {{ ai_billing.type_decimal() }})
      when rules.method = 'by spend' then case when spent.amount > 0 then spent.amount else {{ zero }} end
      else rules.part
    end as weight
  from asked
  inner join rules
    on asked.rule_ = rules.rule_ and (rules.billing_currency is null or rules.billing_currency = asked.billing_currency)
  left join spent
    on asked.month = spent.month
    and asked.billing_currency = spent.billing_currency
    and asked.measure = spent.measure
    and (rules.team is null or rules.team = spent.team)
),

-- A team that has spent nothing bears nothing by spend.
weighed as (
  select
    bearers.*,
    sum(weight) over (partition by {{ basis | join(', ') }}) as all_weights,
    count(*) over (partition by {{ basis | join(', ') }}) as teams,
    row_number() over (partition by {{ basis | join(', ') }} order by weight desc, team) as rank_
  from bearers
  where team is not null and (method <> 'by spend' or weight > 0)
),

parts as (
  select
    {%- for name in pool %}
    pools.{{ name }},
    {%- endfor %}
    pools.amount, weighed.method, weighed.team, weighed.rank_,
    case
      when weighed.method = 'amount' then weighed.weight
      when abs(pools.amount) >= {{ limit }} or abs(weighed.all_weights) >= {{ limit }} then null
      when weighed.method = 'evenly' then {{ ai_billing.divided('pools.amount', 'weighed.teams') }}
      when weighed.method = 'percent' then {{ ai_billing.times('pools.amount', 'cast(weighed.weight * 0.01 as ' ~ ai_billing.type_decimal() ~ ')') }}
      else {{ ai_billing.times('pools.amount', ai_billing.share_of('weighed.weight', 'weighed.all_weights')) }}
    end as part
  from pools
  inner join weighed
    on pools.rule_ = weighed.rule_
    and pools.month = weighed.month
    and pools.billing_currency = weighed.billing_currency
    and pools.measure = weighed.measure
    and (weighed.method <> 'amount' or pools.rank_of_amount = 1)
),

spread as (
  select
    parts.*,
    part + case
      when rank_ = 1 and method <> 'amount' then amount - sum(part) over (partition by {{ pool | join(', ') }}) else {{ zero }}
    end as borne
  from parts
  where part is not null
),

borne as (
  select {{ pool | join(', ') }}, sum(borne) as amount from spread group by {{ pool | join(', ') }}
),

kept as (
  select
    {%- for name in pool %}
    pools.{{ name }},
    {%- endfor %}
    pools.amount - coalesce(borne.amount, 0) as amount,
    case
      when methods.method = 'amount' then 'the fixed amounts of the rule leave it over'
      when abs(pools.amount) >= {{ limit }} then 'it is too large to be divided exactly'
      else 'no team of the rule has spent anything in this month and currency'
    end as why_not
  from pools
  inner join methods on pools.rule_ = methods.rule_
  left join borne
    on
    {%- for name in ['month', 'rule_', 'billing_currency', 'measure'] %}
    {{ 'and ' if not loop.first }}pools.{{ name }} = borne.{{ name }}
    {%- endfor %}
    {%- for name in ['account', 'base_url', 'from_team'] %}
    and coalesce(pools.{{ name }}, '') = coalesce(borne.{{ name }}, '')
    {%- endfor %}
),

rows_ as (
  select {{ pool | join(', ') }}, team, true as is_spread, cast(null as {{ text }}) as why_not, borne as amount from spread
  union all
  select {{ pool | join(', ') }}, from_team, false, why_not, amount from kept where amount <> 0
)

select
  rows_.month, rows_.account, rows_.base_url, rows_.rule_ as rule_number, methods.label, methods.value, methods.method, rows_.from_team,
  rows_.team, rows_.is_spread, max(rows_.why_not) as why_not, rows_.billing_currency,
  sum(case when rows_.measure = 'billed' then rows_.amount else {{ zero }} end) as billed_cost,
  sum(case when rows_.measure = 'effective' then rows_.amount else {{ zero }} end) as effective_cost
from rows_
inner join methods on rows_.rule_ = methods.rule_
group by
  rows_.month, rows_.account, rows_.base_url, rows_.rule_, methods.label, methods.value, methods.method, rows_.from_team, rows_.team,
  rows_.is_spread, rows_.billing_currency
