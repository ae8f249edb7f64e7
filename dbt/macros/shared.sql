{# Shared costs: rules that say who bears costs that are not of one team alone. #}

{# The labels of costs that a rule may name: columns, and the team that has the costs. `unowned` comes on top: costs that no team has. #}
{% macro shared_labels() %}
  {{ return(['charge_category', 'service_provider_name', 'account', 'project_id', 'workspace_id', 'api_key_id', 'model_id', 'team']) }}
{% endmacro %}

{# The faults that a row of the rules may have: conditions, each with its words. Some look at the other rows of the rule. #}
{% macro shared_faults() %}
  {%- set labels = ai_billing.shared_labels() + ['unowned'] -%}
  {%- set of_rule = ' over (partition by rule)' -%}
  {%- set percent = "method = 'percent' and coalesce(" ~ ai_billing.matches('part', '(0|[1-9][0-9]?|100)([.][0-9]{1,10}0*)?') ~ ', false)' -%}
  {%- set percents = 'case when ' ~ percent ~ ' then ' ~ ai_billing.to_decimal('part') ~ ' end' -%}
  {%- set head = ai_billing.key_of(['label', 'value', 'method', 'given.valid_from', 'given.valid_to']) -%}
  {{ return([
    ['not coalesce(' ~ ai_billing.matches('rule', '[1-9][0-9]{0,3}') ~ ', false)', 'rule is not a whole number from 1 to 9999'],
    ["not coalesce(label in ('" ~ labels | join("', '") ~ "'), false)", 'label is none of ' ~ labels | join(', ')],
    ["value is null and coalesce(label <> 'unowned', true)", 'value is missing'],
    ["value is not null and label = 'unowned'", 'unowned has no value'],
    ["not coalesce(method in ('evenly', 'by spend', 'percent', 'amount'), false)", 'method is none of evenly, by spend, percent, amount'],
    ["team is null and method in ('percent', 'amount')", 'team is missing'],
    ["part is not null and method in ('evenly', 'by spend')", 'part is only for percent and amount'],
    ["method = 'percent' and not coalesce(" ~ percent ~ ' and ' ~ ai_billing.to_decimal('part') ~ ' <= 100, false)',
      'part is not a percentage up to 100 with at most 10 digits behind the point'],
    ["method = 'amount' and " ~ ai_billing.to_decimal('part') ~ ' is null', 'part is not a decimal that fits'],
    ["method = 'amount' and billing_currency is null", 'billing_currency is missing'],
    ["billing_currency is not null and method <> 'amount'", 'billing_currency is only for amount'],
    ['given.valid_from is not null and ' ~ ai_billing.date_of('given.valid_from') ~ ' is null', 'valid_from is not written as YYYY-MM-DD'],
    ['given.valid_to is not null and ' ~ ai_billing.date_of('given.valid_to') ~ ' is null', 'valid_to is not written as YYYY-MM-DD'],
    [ai_billing.date_of('given.valid_from') ~ ' > ' ~ ai_billing.date_of('given.valid_to'), 'valid_to is before valid_from'],
    ['min(' ~ head ~ ')' ~ of_rule ~ ' <> max(' ~ head ~ ')' ~ of_rule,
      'the rows of this rule differ in label, value, method, valid_from or valid_to'],
    ["team is null and method in ('evenly', 'by spend') and count(*)" ~ of_rule ~ ' > 1',
      'an empty team stands for all teams, so it is the only row of its rule'],
    ['team is not null and count(*) over (partition by rule, team, billing_currency) > 1', 'another row of this rule names this team'],
    [percent ~ ' and sum(' ~ percents ~ ')' ~ of_rule ~ ' <> 100', 'the percentages of this rule do not add up to 100'],
  ]) }}
{% endmacro %}

{# A part divided by its whole, cut after twelve digits: between 0 and 1 for a part up to its whole. Both are below 10^13. #}
{% macro share_of(part, whole) %}{{ return(adapter.dispatch('share_of', 'ai_billing')(part, whole)) }}{% endmacro %}
{% macro default__share_of(part, whole) -%}
  cast({{ part }} / {{ whole }} as decimal(38, 12))
{%- endmacro %}
{% macro postgres__share_of(part, whole) -%}
  div({{ part }} * 1000000000000, {{ whole }}) * 0.000000000001
{%- endmacro %}
{# Long division of the digits, six at a time, so that each step fits into 128 bits. #}
{% macro duckdb__share_of(part, whole) -%}
  {%- set above, below = ai_billing.duckdb_digits(part) ~ ' * 1000000', ai_billing.duckdb_digits(whole) -%}
  {%- set rest = '((' ~ above ~ ') % ' ~ below ~ ') * 1000000' -%}
  {{ ai_billing.duckdb_decimal('((' ~ above ~ ') // ' ~ below ~ ') * 1000000 + (' ~ rest ~ ') // ' ~ below, 'false', 12) }}
{%- endmacro %}
{% macro spark__share_of(part, whole) -%}
  {%- set below = 'cast(' ~ whole ~ ' as decimal(31, 18))' -%}
  {%- set above = '(cast(' ~ part ~ ' as decimal(31, 18)) * cast(1000000 as decimal(7, 0)))' -%}
  {%- set rest = '(cast(' ~ above ~ ' % ' ~ below ~ ' as decimal(31, 18)) * cast(1000000 as decimal(7, 0)))' -%}
  {%- set digits = [] -%}
  {%- for each in [above, rest] -%}
    {%- do digits.append('cast((cast(' ~ each ~ ' as decimal(37, 18)) - cast(' ~ each ~ ' % ' ~ below ~ ' as decimal(37, 18))) / '
      ~ below ~ ' as decimal(20, 0))') -%}
  {%- endfor -%}
  cast({{ digits[0] }} * 0.000001 + {{ digits[1] }} * 0.000000000001 as decimal(38, 12))
{%- endmacro %}

{#
  Spreads costs over teams. `measured`: rows with month, account, base_url, team, billing_currency, rule_ (null if no rule takes them), measure
  and amount; each `measure` is spread by itself. `rules`: rows with rule_, method, team, billing_currency and part. Gives the costs
  that rules take: those that a team bears, and those that stay with `from_team` because the rule cannot spread them.

  A part is the amount divided by the number of teams, or times the share of the team, rounded after 18 digits. The team with the greatest
  share bears what is left over by rounding; among equals it is the first one by name. So the parts add up to the whole. Fixed amounts are
  those of a month. They are taken from the largest amount that the rule takes, if accounts or teams have several.
#}
{% macro spread_of(measured, rules) %}
{%- set pool = ['month', 'account', 'base_url', 'rule_', 'from_team', 'billing_currency', 'measure'] %}
{%- set basis = ['rule_', 'month', 'billing_currency', 'measure'] %}
{%- set zero = 'cast(0 as ' ~ ai_billing.type_decimal() ~ ')' %}
{%- set limit = '10000000000000' %}
{%- set text = dbt.type_string() %}
with methods as (
  select distinct rule_, method from {{ rules }}
),

pools as (
  select
    month, account, base_url, rule_, team as from_team, billing_currency, measure, amount,
    row_number() over (
      partition by {{ basis | join(', ') }}
      order by abs(amount) desc, coalesce(account, ''), coalesce(base_url, ''), coalesce(team, '')
    ) as rank_of_amount
  from {{ measured }}
  where rule_ is not null and amount <> 0
),

-- The own costs of each team, over all accounts.
spent as (
  select month, billing_currency, measure, team, sum(amount) as amount
  from {{ measured }}
  where rule_ is null and team is not null
  group by month, billing_currency, measure, team
  having sum(amount) <> 0
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
  inner join {{ rules }} as rules
    on asked.rule_ = rules.rule_ and (rules.billing_currency is null or rules.billing_currency = asked.billing_currency)
  left join spent
    on asked.month = spent.month
    and asked.billing_currency = spent.billing_currency
    and asked.measure = spent.measure
    and (rules.team is null or rules.team = spent.team)
),

-- A team that has spent nothing, or whose credits outweigh what it spent, bears nothing by spend.
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
      else 'no team of the rule has own costs above 0 in this month and currency'
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
)

select {{ pool | join(', ') }}, team, true as is_spread, cast(null as {{ text }}) as why_not, borne as amount from spread
union all
select {{ pool | join(', ') }}, from_team, false, why_not, amount from kept where amount <> 0
{% endmacro %}

{#
  Costs by the rule that takes them: the one of the lowest number that is valid on the day of the cost and is about it. Costs that no rule
  takes have none. `costs`: rows with `keys` and `measures`. `rules`: rows with rule_number, label, value, first_day and end_day.
  `same`: columns that a cost and its rule have in common.
#}
{% macro taken_by_rules(costs, rules, keys, measures, same=[]) %}
-- BigQuery has no outer join without an equality of two columns, so each cost is there once more without a rule.
select
  {{ keys | join(', ') }}, min(rule_number) as rule_number
  {%- for name in measures %}, max({{ name }}) as {{ name }}{% endfor %}
from (
  select {{ (keys + measures) | join(', ') }}, cast(null as {{ dbt.type_int() }}) as rule_number from {{ costs }} as alone
  union all
  select
    {%- for name in keys + measures %}
    costs.{{ name }},
    {%- endfor %}
    rules.rule_number
  from {{ costs }} as costs
  cross join (
    select distinct {% for name in same %}{{ name }}, {% endfor %}rule_number, label, coalesce(value, '') as value, first_day, end_day
    from {{ rules }}
  ) as rules
  where costs.day >= rules.first_day
    and costs.day < rules.end_day
    {%- for name in same %}
    and costs.{{ name }} = rules.{{ name }}
    {%- endfor %}
    and rules.value = case
      {%- for label in ai_billing.shared_labels() %}
      when rules.label = '{{ label }}' then costs.{{ label }}
      {%- endfor %}
      when costs.team is null then ''
    end
) as candidates
group by {{ keys | join(', ') }}
{% endmacro %}
