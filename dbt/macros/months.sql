{#
  Costs by month of charge period and some labels, beside the month before, with a forecast of the running month: the usage charges of its
  complete days, carried on over the weekdays that are left, plus all other charges once. There is none before seven complete days since
  the usage began, because its first days say nothing about the end of the month: they may all be days of a weekend. There is none either
  if the usage has stopped, or if credits of each day pay for it: nobody knows whether it goes on, or how long they do. `rows`: the costs
  that count.
#}
{% macro months_of(rows, labels) %}
{%- set keys = ['place', 'month'] + labels %}
{%- set measures = ['billed_cost', 'effective_cost', 'provisional_cost', 'to_date_cost', 'daily_cost', 'other_cost', 'coming_cost'] %}
{%- set once = keys + ['charge_category', 'sku_id'] %}
{%- set type_decimal = ai_billing.type_decimal() %}
{%- set text = dbt.type_string() %}
with calendar as (
  select * from {{ ref('ai_billing__calendar_costs') }}
),

months as (
  select
    place, month,
    max(account) as account,
    max(base_url) as base_url,
    max(through_day) as through_day,
    {{ ai_billing.month_of('max(through_day)') }} as running_month,
    {{ ai_billing.days_between('month', ai_billing.add_months('month', 1)) }} as days_in_month,
    sum(case when is_complete then 1 else 0 end) as days_counted,
    sum(case when day_status <> 'proven' then 1 else 0 end) as days_not_proven,
    sum(case when day_status = 'incomplete' then 1 else 0 end) as days_incomplete
  from calendar
  group by place, month
),

costs as (
  select
    calendar.place, calendar.month,
    {%- for name in labels %}
    rows_.{{ name }},
    {%- endfor %}
    rows_.day, rows_.billed_cost, rows_.effective_cost, rows_.cost_status, rows_.charge_category, rows_.sku_id,
    calendar.is_complete,
    rows_.day <= calendar.through_day as is_to_date,
    {{ ai_billing.day_of_month('rows_.day') }} <= {{ ai_billing.day_of_month('calendar.through_day') }} as is_same_day,
    {{ ai_billing.is_daily_usage('rows_') }} as is_daily
  from {{ rows }} as rows_
  inner join calendar
    on {{ ai_billing.place_of('rows_.base_url', 'rows_.account') }} = calendar.place and rows_.day = calendar.day
),

own as (
  select
    {{ keys | join(', ') }},
    sum(billed_cost) as billed_cost,
    sum(effective_cost) as effective_cost,
    sum(case when cost_status = 'provisional' then billed_cost else 0 end) as provisional_cost,
    sum(case when is_to_date then billed_cost else 0 end) as to_date_cost,
    sum(case when is_daily and is_complete then billed_cost else 0 end) as daily_cost,
    sum(case when is_daily then 0 else billed_cost end) as other_cost,
    cast(0 as {{ type_decimal }}) as coming_cost,
    sum(case when is_same_day then billed_cost else 0 end) as same_day_cost
  from costs
  group by {{ keys | join(', ') }}
),

-- Charges for longer than a day, such as a plan, a commitment or a tax. Those of a month appear three times: as those of their month,
-- and as those of one and of two months before.
charged_once as (
  {%- for months_ago in range(3) %}
  select
    place, {{ ai_billing.add_months('month', months_ago) if months_ago else 'month' }} as month,
    {{ (once[2:]) | join(', ') }}, billed_cost, {{ months_ago }} as months_ago
  from costs
  where not is_daily and charge_category in ('Usage', 'Purchase', 'Tax')
  {{- ' union all' if not loop.last }}
  {%- endfor %}
),

-- A charge that came in each of the two months before, and has not come in this one. Nothing more is expected of a month whose days are all
-- complete.
coming as (
  select {{ once | join(', ') }}, sum(case when months_ago = 1 then billed_cost else 0 end) as coming_cost
  from charged_once
  group by {{ once | join(', ') }}
  having min(months_ago) = 1 and max(months_ago) = 2
),

-- Each month's sums appear twice: as the sums of their month, and as those of the month before in the following month.
both_ as (
  select
    {{ keys | join(', ') }}, {{ measures | join(', ') }},
    cast(0 as {{ type_decimal }}) as previous_billed_cost, cast(0 as {{ type_decimal }}) as previous_to_date_cost
  from own
  union all
  select
    place, {{ ai_billing.add_months('month', 1) }}, {{ labels | join(', ') }}, 0, 0, 0, 0, 0, 0, 0, billed_cost, same_day_cost
  from own
  union all
  select {{ keys | join(', ') }}, 0, 0, 0, 0, 0, 0, coming_cost, 0, 0
  from coming
),

sums as (
  select
    {{ keys | join(', ') }},
    {%- for name in measures + ['previous_billed_cost', 'previous_to_date_cost'] %}
    sum({{ name }}) as {{ name }}{{ ',' if not loop.last }}
    {%- endfor %}
  from both_
  group by {{ keys | join(', ') }}
),

currencies as (
  select
    place, month, billing_currency,
    count(distinct case when cost_status = 'provisional' then day end) as days_provisional,
    max(case when is_daily then 1 else 0 end) as has_daily
  from costs
  group by place, month, billing_currency
),

-- Before the first known day the costs are unknown, and not 0.
compared as (
  select
    sums.*,
    months.account, months.base_url, months.through_day, months.running_month, months.days_in_month, months.days_counted,
    months.days_not_proven, months.days_incomplete,
    coalesce(currencies.days_provisional, 0) as days_provisional,
    -- Without any weight, each day weighs the same.
    case when pace.complete_weight > 0 then pace.month_weight else coalesce(pace.days_of_month, months.days_in_month) end as month_weight,
    case when pace.complete_weight > 0 then pace.complete_weight else coalesce(pace.pace_days, months.days_counted) end
      as complete_weight,
    -- Usage without a complete day has no pace. A month whose days are all complete needs none.
    case
      when months.days_counted = months.days_in_month then months.days_counted
      else coalesce(pace.pace_days, case when currencies.has_daily = 1 then 0 else months.days_counted end)
    end as pace_days,
    months.days_counted < months.days_in_month and coalesce(pace.is_stopped, false) as is_stopped,
    months.days_counted < months.days_in_month and coalesce(pace.is_credited, false) as is_credited,
    previous.days_counted as previous_days_counted,
    case when previous.month is not null then sums.previous_billed_cost end as known_previous,
    -- Of a month after the newest complete day nothing is known as a whole: it has no days to compare.
    case
      when previous.month is null or sums.month > months.running_month then null
      when sums.month = months.running_month then sums.previous_to_date_cost
      else sums.previous_billed_cost
    end as known_previous_to_date,
    case when sums.month = months.running_month then sums.to_date_cost else sums.billed_cost end as own_to_date
  from sums
  inner join months on sums.place = months.place and sums.month = months.month
  left join months as previous
    on sums.place = previous.place and sums.month = {{ ai_billing.add_months('previous.month', 1) }}
  left join currencies
    on sums.place = currencies.place
    and sums.month = currencies.month
    and sums.billing_currency = currencies.billing_currency
  left join {{ ref('ai_billing__usage_pace') }} as pace
    on sums.place = pace.place and sums.month = pace.month and sums.billing_currency = pace.billing_currency
)

select
  month, account, base_url,
  {{ labels | join(', ') }},
  billed_cost,
  effective_cost,
  provisional_cost,
  known_previous as previous_billed_cost,
  billed_cost - known_previous as change,
  {{ ai_billing.ratio('billed_cost - known_previous', 'abs(known_previous)') }} as change_share,
  month = running_month as is_running,
  through_day,
  own_to_date as to_date_cost,
  known_previous_to_date as previous_to_date_cost,
  own_to_date - known_previous_to_date as change_to_date,
  case
    when month < running_month then billed_cost
    when month = running_month and pace_days >= 7 and not is_stopped and not is_credited and abs(daily_cost) < 10000000000000
      then other_cost + case when days_counted < days_in_month then coming_cost else 0 end + {{ ai_billing.divided('daily_cost * month_weight', 'complete_weight') }}
  end as forecast_cost,
  case
    when month < running_month then 'the month is over: its billed cost'
    when month = running_month and abs(daily_cost) >= 10000000000000
      then 'none: the costs are too large to be multiplied exactly'
    when month = running_month and is_stopped
      then 'none: no usage was charged in the last 7 complete days or longer, and whether it goes on is not known'
    when month = running_month and pace_days >= 7 and is_credited
      then 'none: credits have come day by day, and how long they go on is not known'
    when month = running_month and pace_days >= 7 then {{ dbt.concat([
      "'usage charges of '", 'cast(pace_days as ' ~ text ~ ')', "' complete days, the last of them day '",
      'cast(' ~ ai_billing.day_of_month('through_day') ~ ' as ' ~ text ~ ')', "', carried on to '",
      'cast(days_in_month as ' ~ text ~ ')', "' days by the weekdays of eight weeks; other charges once'"]) }}
    when month = running_month and days_counted >= 7 then {{ dbt.concat([
      "'none: it needs 7 complete days since the usage began, and '", 'cast(pace_days as ' ~ text ~ ')',
      "case when pace_days = 1 then ' is known' else ' are known' end"]) }}
    when month = running_month and days_counted > 0 then {{ dbt.concat([
      "'none: it needs 7 complete days, and '", 'cast(days_counted as ' ~ text ~ ')',
      "case when days_counted = 1 then ' of this month is known' else ' of this month are known' end"]) }}
    else 'none: no day of the month is complete yet'
  end as forecast_method,
  days_in_month, days_counted, days_provisional, days_not_proven, days_incomplete, previous_days_counted
from compared
{% endmacro %}
