{#
  Steps of cost_anomalies: its days with the costs of the same weekday in the eight weeks before. They read the steps `calendar`, `spans`,
  `charged`, `weeks` and `days` of the model; the result is `measured`.
#}
{% macro measured_days() %}{{ return(adapter.dispatch('measured_days', 'ai_billing')()) }}{% endmacro %}

{% macro default__measured_days() -%}
wanted as (
  select
    days.series_number, days.place, days.first_day, days.day,
    {{ ai_billing.add_days('days.day', '-1 * weeks.days_before') }} as earlier_day
  from days
  cross join weeks
),

earlier as (
  select
    wanted.series_number, wanted.day, coalesce(charged.billed_cost, cast(0 as {{ ai_billing.type_decimal() }})) as billed_cost
  from wanted
  inner join calendar on wanted.place = calendar.place and wanted.earlier_day = calendar.day
  left join charged on wanted.series_number = charged.series_number and wanted.earlier_day = charged.day
  where wanted.earlier_day >= wanted.first_day
),

compared as (
  select
    series_number, day, billed_cost,
    row_number() over (partition by series_number, day order by billed_cost) as rank_,
    count(*) over (partition by series_number, day) as days_compared
  from earlier
),

-- The median: the cost in the middle, or the mean of the two in the middle.
medians as (
  select
    series_number, day, max(days_compared) as days_compared,
    {{ ai_billing.divided('min(billed_cost) + max(billed_cost)', 2) }} as usual_cost
  from compared
  where 2 * rank_ >= days_compared and 2 * rank_ <= days_compared + 2
  group by series_number, day
),

deviations as (
  select
    compared.series_number, compared.day, compared.days_compared,
    abs(compared.billed_cost - medians.usual_cost) as deviation,
    max(abs(compared.billed_cost - medians.usual_cost)) over (partition by compared.series_number, compared.day) as farthest,
    row_number() over (
      partition by compared.series_number, compared.day order by abs(compared.billed_cost - medians.usual_cost)
    ) as rank_
  from compared
  inner join medians on compared.series_number = medians.series_number and compared.day = medians.day
),

spreads as (
  select
    series_number, day, max(farthest) as farthest,
    {{ ai_billing.divided('min(deviation) + max(deviation)', 2) }} as usual_spread
  from deviations
  where 2 * rank_ >= days_compared and 2 * rank_ <= days_compared + 2
  group by series_number, day
),

measured as (
  select
    days.*, coalesce(medians.days_compared, 0) as days_compared, medians.usual_cost, spreads.usual_spread,
    spreads.farthest,
    min(case when days.label = 'all' then days.first_day end) over (
      partition by days.place, days.billing_currency
    ) as account_first_day,
    max(case when days.label = 'all' then abs(medians.usual_cost) end) over (
      partition by days.place, days.billing_currency, days.day
    ) as account_usual_cost
  from days
  left join medians on days.series_number = medians.series_number and days.day = medians.day
  left join spreads on days.series_number = spreads.series_number and days.day = spreads.day
)
{%- endmacro %}

{# The same with lists of costs instead of rows: DuckDB sorts a list of eight costs in place, and a million rows for a window function. #}
{% macro duckdb__measured_days() -%}
earlier_days as (
  select wanted.place, wanted.day, list(earlier.day) as days
  from (
    -- A column of its own: DuckDB would compare all days with all days before it knows the weeks.
    select calendar.place, calendar.day, {{ ai_billing.add_days('calendar.day', '-1 * weeks.days_before') }} as earlier_day
    from calendar
    cross join weeks
  ) as wanted
  inner join calendar as earlier on wanted.place = earlier.place and wanted.earlier_day = earlier.day
  group by wanted.place, wanted.day
),

earlier_costs as (
  select later.series_number, later.day, list(later.billed_cost) as costs
  from (
    select charged.series_number, {{ ai_billing.add_days('charged.day', 'weeks.days_before') }} as day, charged.billed_cost
    from charged
    cross join weeks
    where charged.billed_cost <> 0
  ) as later
  semi join days on later.series_number = days.series_number and later.day = days.day
  group by later.series_number, later.day
),

earlier as (
  select
    days.series_number, days.day, earlier_costs.costs,
    coalesce(len([earlier_day for earlier_day in earlier_days.days if earlier_day >= days.first_day]), 0) as days_compared
  from days
  left join earlier_days on days.place = earlier_days.place and days.day = earlier_days.day
  left join earlier_costs on days.series_number = earlier_costs.series_number and days.day = earlier_costs.day
),

-- All other days that are compared cost nothing.
compared as (
  select
    series_number, day, days_compared,
    list_sort(list_resize(coalesce(costs, []), days_compared, cast(0 as {{ ai_billing.type_decimal() }}))) as costs
  from earlier
),

-- The median: the cost in the middle, or the mean of the two in the middle.
middles as (
  select compared.*, costs[(days_compared + 1) // 2] + costs[days_compared // 2 + 1] as twice_usual_cost from compared
),

usual as (
  select middles.*, {{ ai_billing.divided('twice_usual_cost', 2) }} as usual_cost from middles
),

deviations as (
  select
    series_number, day, days_compared, usual_cost,
    list_sort([abs(billed_cost - usual_cost) for billed_cost in costs]) as deviations
  from usual
),

spread as (
  select
    deviations.*, deviations[days_compared] as farthest,
    deviations[(days_compared + 1) // 2] + deviations[days_compared // 2 + 1] as twice_usual_spread
  from deviations
),

medians as (
  select
    series_number, day, days_compared, usual_cost, farthest, {{ ai_billing.divided('twice_usual_spread', 2) }} as usual_spread
  from spread
),

accounts as (
  select place, billing_currency, series_number, first_day from spans where label = 'all'
),

measured as (
  select
    days.*, medians.days_compared, medians.usual_cost, medians.usual_spread, medians.farthest,
    accounts.first_day as account_first_day,
    abs(account_medians.usual_cost) as account_usual_cost
  from days
  inner join medians on days.series_number = medians.series_number and days.day = medians.day
  left join accounts on days.place = accounts.place and days.billing_currency is not distinct from accounts.billing_currency
  left join medians as account_medians
    on accounts.series_number = account_medians.series_number and days.day = account_medians.day
)
{%- endmacro %}
