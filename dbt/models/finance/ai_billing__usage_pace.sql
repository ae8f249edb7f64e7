-- How the usage charges of an account's running month go on, in one currency. A usage charge for one day counts if its day is complete.
-- The weight of a day is the mean of its weekday in the eight weeks up to the newest complete day, in parts of 10,000 of the weekday that
-- weighs most: a whole number, so that amounts are multiplied and divided exactly. `weekly_change` is the greatest difference of two
-- weeks that follow each other: where a few bursts make most of the cost, the mean difference says little about the next burst.
-- Usage that begins in the month, or begins again after eight weeks, weighs from its first day on. Usage that has stopped has no forecast:
-- its last cost is a week and longer ago than it ever paused in the eight weeks.
-- Credits of single days, such as those of a grant, go on until they are used up, and nobody knows when. `is_credited`: they came on most of
-- the last seven complete days, and make a tenth of the usage of these days or more. Then there is no forecast either.
{%- set type_decimal = ai_billing.type_decimal() %}
with calendar as (
  select place, day, month, through_day from {{ ref('ai_billing__calendar_costs') }} where is_complete
),

charges as (
  select calendar.place, rows_.billing_currency, rows_.day, sum(rows_.billed_cost) as billed_cost
  from {{ ref('current_costs') }} as rows_
  inner join calendar
    on {{ ai_billing.place_of('rows_.base_url', 'rows_.account') }} = calendar.place and rows_.day = calendar.day
  where rows_.is_counted and {{ ai_billing.is_daily_usage('rows_') }}
  group by calendar.place, rows_.billing_currency, rows_.day
),

newest_usage as (
  select charges.place, charges.billing_currency, sum(charges.billed_cost) as billed_cost
  from charges
  inner join calendar on charges.place = calendar.place and charges.day = calendar.day
  where calendar.day > {{ ai_billing.add_days('calendar.through_day', -7) }}
  group by charges.place, charges.billing_currency
),

newest_credits as (
  select
    calendar.place, rows_.billing_currency, count(distinct rows_.day) as days, sum(rows_.billed_cost) as billed_cost
  from {{ ref('current_costs') }} as rows_
  inner join calendar
    on {{ ai_billing.place_of('rows_.base_url', 'rows_.account') }} = calendar.place and rows_.day = calendar.day
  where rows_.is_counted
    and rows_.charge_category = 'Credit'
    and rows_.charge_period_end <= {{ ai_billing.midnight('rows_.day', 1) }}
    and calendar.day > {{ ai_billing.add_days('calendar.through_day', -7) }}
  group by calendar.place, rows_.billing_currency
),

-- Days before the first charge say nothing about the days after it.
series as (
  select
    place, billing_currency, min(day) as first_day,
    row_number() over (order by place, billing_currency) as series_number
  from charges
  group by place, billing_currency
),

numbers as (
  {%- for number in range(31) %}
  select {{ number }} as number_{{ ' union all' if not loop.last }}
  {%- endfor %}
),

days as (
  select
    series.series_number,
    {{ ai_billing.weekday('calendar.day') }} as weekday_,
    {{ ai_billing.days_between('calendar.day', 'calendar.through_day') }} as age,
    coalesce(charges.billed_cost, cast(0 as {{ type_decimal }})) as billed_cost
  from series
  inner join calendar on series.place = calendar.place and calendar.day >= series.first_day
  left join charges
    on series.place = charges.place and series.billing_currency = charges.billing_currency and calendar.day = charges.day
  where calendar.day > {{ ai_billing.add_days('calendar.through_day', -56) }}
),

-- A weekday on which credits outweigh the charges weighs nothing.
weekday_costs as (
  select
    series_number, weekday_,
    greatest({{ ai_billing.divided('sum(billed_cost)', 'count(*)') }}, cast(0 as {{ type_decimal }})) as mean_cost
  from days
  group by series_number, weekday_
),

compared as (
  select
    series_number, weekday_, mean_cost,
    max(mean_cost) over (partition by series_number) as largest_cost
  from weekday_costs
),

-- If no weekday has costs above 0, all weekdays weigh the same.
weekdays as (
  select
    series_number, weekday_,
    coalesce(cast(round(10000 * {{ ai_billing.ratio('mean_cost', 'largest_cost') }}, 0) as {{ dbt.type_int() }}), 1) as weight
  from compared
),

costs as (
  select
    series_number, age, lag(age) over (partition by series_number order by age desc) as age_before
  from days
  where billed_cost <> 0
),

-- `start_age`: how many days ago the usage began, but at most the 55 days that are looked at.
pauses as (
  select series_number, max(age) as start_age, min(age) as idle_days, max(age_before - age) as longest_pause
  from costs
  group by series_number
),

months as (
  select
    place, month, through_day, {{ ai_billing.days_between('month', ai_billing.add_months('month', 1)) }} as days_in_month
  from calendar
  where day = through_day
),

-- Without a cost in the eight weeks, the whole month counts.
starts as (
  select
    series.series_number, series.place,
    {{ ai_billing.add_days('months.through_day', '-1 * coalesce(pauses.start_age, 55)') }} as start_day
  from series
  inner join months on series.place = months.place
  left join pauses on series.series_number = pauses.series_number
),

month_days as (
  select
    months.place, {{ ai_billing.add_days('months.month', 'numbers.number_') }} as day,
    {{ ai_billing.weekday(ai_billing.add_days('months.month', 'numbers.number_')) }} as weekday_
  from months
  inner join numbers on numbers.number_ < months.days_in_month
),

month_weights as (
  select starts.series_number, count(*) as days, sum(weekdays.weight) as weight
  from starts
  inner join month_days on starts.place = month_days.place and month_days.day >= starts.start_day
  left join weekdays on starts.series_number = weekdays.series_number and month_days.weekday_ = weekdays.weekday_
  group by starts.series_number
),

complete_weights as (
  select starts.series_number, count(*) as days, sum(weekdays.weight) as weight
  from starts
  inner join calendar
    on starts.place = calendar.place
    and calendar.month = {{ ai_billing.month_of('calendar.through_day') }}
    and calendar.day >= starts.start_day
  left join weekdays
    on starts.series_number = weekdays.series_number and {{ ai_billing.weekday('calendar.day') }} = weekdays.weekday_
  group by starts.series_number
),

-- Whole weeks, counted backward from the newest complete day.
weeks as (
  select series_number, age - mod(age, 7) as days_ago, sum(billed_cost) as billed_cost
  from days
  group by series_number, age - mod(age, 7)
  having count(*) = 7
),

changes as (
  select
    weeks.series_number, count(*) as changes,
    max(abs(weeks.billed_cost - earlier.billed_cost)) as weekly_change
  from weeks
  inner join weeks as earlier on weeks.series_number = earlier.series_number and weeks.days_ago + 7 = earlier.days_ago
  group by weeks.series_number
)

select
  series.place, months.month, series.billing_currency,
  month_weights.weight as month_weight,
  complete_weights.weight as complete_weight,
  coalesce(month_weights.days, 0) as days_of_month,
  coalesce(complete_weights.days, 0) as pace_days,
  coalesce(
    pauses.idle_days >= 7 and pauses.idle_days >= coalesce(pauses.longest_pause, 0)
    and pauses.idle_days < {{ ai_billing.day_of_month('months.through_day') }}, false
  ) as is_stopped,
  -- Amounts beyond any bill are not multiplied: DuckDB would multiply them behind an "and", too.
  coalesce(
    case
      when newest_credits.days >= 4 and newest_credits.billed_cost < 0 and abs(newest_credits.billed_cost) < 10000000000000
        then -10 * newest_credits.billed_cost >= coalesce(newest_usage.billed_cost, 0)
    end, false
  ) as is_credited,
  case when changes.changes >= 3 then changes.weekly_change end as weekly_change
from series
inner join months on series.place = months.place
left join month_weights on series.series_number = month_weights.series_number
left join complete_weights on series.series_number = complete_weights.series_number
left join pauses on series.series_number = pauses.series_number
left join changes on series.series_number = changes.series_number
left join newest_usage
  on series.place = newest_usage.place and series.billing_currency = newest_usage.billing_currency
left join newest_credits
  on series.place = newest_credits.place and series.billing_currency = newest_credits.billing_currency
