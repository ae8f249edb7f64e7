{# The labels by which costs are compared: columns of daily_costs, and the team. #}
{% macro mover_labels() %}
  {{ return(['service_provider_name', 'service_name']
    + (ai_billing.labels('costs') | reject('in', ['workload_type', 'upstream_provider']) | list)
    + ['usage_type', 'charge_category', 'account', 'team']) }}
{% endmacro %}

{#
  Costs of one period beside those of another, for every value of every label. All four arguments are dates as text, such as
  2026-10-01; the two ends are exclusive. In a model or an analysis of your project:

      select * from ({{ ai_billing.cost_movers_between('2026-10-01', '2026-11-01', '2025-10-01', '2025-11-01') }}) as movers
      where label = 'model_id' and rank_grown <= 10
#}
{% macro cost_movers_between(period_start, period_end, previous_start, previous_end) -%}
  {%- set periods -%}
    select
      place, 'between' as comparison,
      cast('{{ period_start }}' as date) as period_start, cast('{{ period_end }}' as date) as period_end,
      cast('{{ previous_start }}' as date) as previous_start, cast('{{ previous_end }}' as date) as previous_end
    from {{ ref('ai_billing__calendar_costs') }}
    group by place
  {%- endset -%}
  {{ ai_billing.movers_over(periods) }}
{%- endmacro %}

{# `periods`: a select of place, comparison, period_start, period_end, previous_start and previous_end. #}
{% macro movers_over(periods) -%}
{%- set days = ['days_known', 'previous_days_known'] -%}
{%- set labels = ai_billing.mover_labels() -%}
{%- set period = ['comparison', 'period_start', 'period_end', 'previous_start', 'previous_end'] -%}
{%- set type_decimal = ai_billing.type_decimal() -%}
with asked as (
  {{ periods }}
),

-- Days that are complete, of both periods: days that were never read did not cost nothing.
periods as (
  select
    asked.place, {% for name in period %}asked.{{ name }}, {% endfor %}
    sum(case when calendar.day >= asked.period_start and calendar.day < asked.period_end then 1 else 0 end) as days_known,
    sum(case when calendar.day >= asked.previous_start and calendar.day < asked.previous_end then 1 else 0 end) as previous_days_known
  from asked
  left join {{ ref('ai_billing__calendar_costs') }} as calendar on asked.place = calendar.place and calendar.is_complete
  group by asked.place{% for name in period %}, asked.{{ name }}{% endfor %}
),

labels as (
  {%- for label in labels %}
  select '{{ label }}' as label{{ ' union all' if not loop.last }}
  {%- endfor %}
),

costs as (
  select
    {{ ai_billing.place_of('base_url', 'account') }} as place, base_url, day, billing_currency, billed_cost,
    {{ labels | join(', ') }}
  from ({{ ai_billing.with_team(ref('daily_costs')) }}) as rows_
  -- Most days are in no period: without them less is held in memory.
  where records > 0
    and day >= (select min(case when previous_start < period_start then previous_start else period_start end) from periods)
),

-- One row for each combination of labels. This keeps the cross join below small: it repeats each row once for each label.
combined as (
  select
    {% for name in period + days %}periods.{{ name }}, {% endfor %}costs.base_url, costs.billing_currency,
    {%- for label in labels %}
    costs.{{ label }},
    {%- endfor %}
    sum(case when costs.day >= periods.period_start and costs.day < periods.period_end then costs.billed_cost
      else cast(0 as {{ type_decimal }}) end) as billed_cost,
    sum(case when costs.day >= periods.previous_start and costs.day < periods.previous_end then costs.billed_cost
      else cast(0 as {{ type_decimal }}) end) as previous_billed_cost
  from costs
  inner join periods on costs.place = periods.place
  where (costs.day >= periods.period_start and costs.day < periods.period_end)
    or (costs.day >= periods.previous_start and costs.day < periods.previous_end)
  group by
    {% for name in period + days %}periods.{{ name }}, {% endfor %}costs.base_url, costs.billing_currency
    {%- for label in labels %}, costs.{{ label }}{% endfor %}
),

named as (
  select
    combined.*,
    labels.label,
    case labels.label
      {%- for label in labels %}
      when '{{ label }}' then combined.{{ label }}
      {%- endfor %}
    end as value
  from combined
  cross join labels
),

moved as (
  select
    {{ (period + days) | join(', ') }}, label, value, account, base_url, billing_currency,
    sum(billed_cost) as billed_cost,
    sum(previous_billed_cost) as previous_billed_cost,
    case
      when days_known = {{ ai_billing.days_between('period_start', 'period_end') }}
        and previous_days_known = {{ ai_billing.days_between('previous_start', 'previous_end') }}
        then sum(billed_cost) - sum(previous_billed_cost)
    end as change
  from named
  group by {{ (period + days) | join(', ') }}, label, value, account, base_url, billing_currency
),

ranked as (
  select
    moved.*,
    rank() over (partition by comparison, label, billing_currency, change is null order by change desc) as from_above,
    rank() over (partition by comparison, label, billing_currency, change is null order by change) as from_below
  from moved
)

select
  comparison, label, value, account, base_url, billing_currency, period_start, period_end, previous_start, previous_end,
  days_known, previous_days_known,
  billed_cost, previous_billed_cost, change,
  {{ ai_billing.ratio('change', 'abs(previous_billed_cost)') }} as change_share,
  case when change > 0 then from_above end as rank_grown,
  case when change < 0 then from_below end as rank_fallen
from ranked
{%- endmacro %}
