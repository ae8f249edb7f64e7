-- Usage charges of a day beside those of the same weekday in the eight weeks before: for all costs, and for each value of a label.
-- Each day's score is its distance from their median, in units of their spread:
--
--     score = (billed_cost - usual_cost) / max(1.4826 x usual_spread, 0.1 x usual_cost, 0.01 x the account's usual_cost)
--
-- The spread is the median absolute deviation; times 1.4826 it is the standard deviation of normally distributed values. The
-- two other terms are floors: without them a weekday that always cost the same, or a label that costs next to nothing, would
-- have endless scores. A score of 3.5 or more, or -3.5 or less, is an anomaly (Iglewicz and Hoaglin, How to Detect and Handle
-- Outliers, 1993). A score needs at least four complete days to compare with. A day on which a value of a label costs nothing, and
-- usually costs nothing, has no row.
{%- set labels = ['model_id', 'project_id', 'api_key_id', 'team'] %}
{%- set type_decimal = ai_billing.type_decimal() %}
{%- set text = dbt.type_string() %}
{%- set series = ['place', 'label', 'value', 'billing_currency'] %}
with calendar as (
  select
    place, account, base_url, day, day_status,
    {{ ai_billing.add_days('through_day', -1 * var('ai_billing_anomaly_days')) }} as scored_after
  from {{ ref('ai_billing__calendar_costs') }}
  where is_complete
),

-- Only usage charges for a single day. A subscription or a tax that comes once a month is no anomaly.
charges as (
  select
    calendar.place, calendar.day, calendar.scored_after, rows_.billing_currency,
    {%- for label in labels %}
    rows_.{{ label }},
    {%- endfor %}
    sum(rows_.billed_cost) as billed_cost
  from {{ ref('ai_billing__owned_costs') }} as rows_
  inner join calendar
    on {{ ai_billing.place_of('rows_.base_url', 'rows_.account') }} = calendar.place and rows_.day = calendar.day
  where {{ ai_billing.is_daily_usage('rows_') }}
    and rows_.day > {{ ai_billing.add_days('calendar.scored_after', -56) }}
  group by calendar.place, calendar.day, calendar.scored_after, rows_.billing_currency
    {%- for label in labels %}, rows_.{{ label }}{% endfor %}
),

named as (
  select place, 'all' as label, cast(null as {{ text }}) as value, billing_currency, day, billed_cost from charges
  {%- for label in labels %}
  union all
  select place, '{{ label }}', {{ label }}, billing_currency, day, billed_cost from charges
  {%- endfor %}
),

costs as (
  select
    {{ series | join(', ') }}, day,
    {{ ai_billing.key_of(series) }} as series_key,
    sum(billed_cost) as billed_cost
  from named
  group by {{ series | join(', ') }}, day
),

-- Days before the first charge of a value are not compared. After its last charge a value is watched for one more week.
spans as (
  select
    series_key, {{ series | join(', ') }}, min(day) as first_day, {{ ai_billing.add_days('max(day)', 7) }} as last_day,
    row_number() over (order by series_key) as series_number
  from costs
  group by series_key, {{ series | join(', ') }}
),

charged as (
  select
    spans.series_number, costs.day, costs.billed_cost,
    count(*) over (partition by spans.series_number, {{ ai_billing.weekday('costs.day') }}) as same_weekdays
  from costs
  inner join spans on costs.series_key = spans.series_key
),

weeks as (
  {%- for week in range(1, 9) %}
  select {{ 7 * week }} as days_before{{ ' union all' if not loop.last }}
  {%- endfor %}
),

-- All values times all days would be too many rows. A day without a cost can only be unusual if its weekday cost something at least
-- twice in the eight weeks before: else the median is 0. All costs together have every day.
looked_at as (
  select distinct series_number, day from (
    select series_number, day from charged
    union all
    select charged.series_number, {{ ai_billing.add_days('charged.day', 'weeks.days_before') }}
    from charged
    cross join weeks
    where charged.same_weekdays >= 2
    union all
    select spans.series_number, calendar.day
    from spans
    inner join calendar on spans.place = calendar.place and calendar.day >= spans.first_day
    where spans.label = 'all'
  ) all_days
),

days as (
  select
    spans.series_number, spans.first_day,
    {%- for name in series %}
    spans.{{ name }},
    {%- endfor %}
    calendar.day, calendar.account, calendar.base_url, calendar.day_status,
    charged.day is not null as is_charged,
    coalesce(charged.billed_cost, cast(0 as {{ type_decimal }})) as billed_cost
  from looked_at
  inner join spans on looked_at.series_number = spans.series_number and looked_at.day <= spans.last_day
  inner join calendar on spans.place = calendar.place and looked_at.day = calendar.day
  left join charged on looked_at.series_number = charged.series_number and looked_at.day = charged.day
  where calendar.day > calendar.scored_after
),

wanted as (
  select
    days.series_number, days.place, days.first_day, days.day,
    {{ ai_billing.add_days('days.day', '-1 * weeks.days_before') }} as earlier_day
  from days
  cross join weeks
),

earlier as (
  select
    wanted.series_number, wanted.day, coalesce(charged.billed_cost, cast(0 as {{ type_decimal }})) as billed_cost
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
    row_number() over (
      partition by compared.series_number, compared.day order by abs(compared.billed_cost - medians.usual_cost)
    ) as rank_
  from compared
  inner join medians on compared.series_number = medians.series_number and compared.day = medians.day
),

spreads as (
  select series_number, day, {{ ai_billing.divided('min(deviation) + max(deviation)', 2) }} as usual_spread
  from deviations
  where 2 * rank_ >= days_compared and 2 * rank_ <= days_compared + 2
  group by series_number, day
),

measured as (
  select
    days.*, coalesce(medians.days_compared, 0) as days_compared, medians.usual_cost, spreads.usual_spread,
    max(case when days.label = 'all' then abs(medians.usual_cost) end) over (
      partition by days.place, days.billing_currency, days.day
    ) as account_usual_cost
  from days
  left join medians on days.series_number = medians.series_number and days.day = medians.day
  left join spreads on days.series_number = spreads.series_number and days.day = spreads.day
),

scaled as (
  select
    measured.*,
    case when days_compared >= 4 and usual_spread < 10000000000000 and abs(usual_cost) < 10000000000000
      and coalesce(account_usual_cost, 0) < 10000000000000 then
      greatest(1.4826 * usual_spread, 0.1 * abs(usual_cost), 0.01 * coalesce(account_usual_cost, 0))
    end as scale
  from measured
),

scored as (
  select scaled.*, {{ ai_billing.ratio('billed_cost - usual_cost', 'scale') }} as score from scaled
)

select
  day, account, base_url, label, value, billing_currency, billed_cost, usual_cost, usual_spread, days_compared, score,
  coalesce(abs(score) >= 3.5, false) as is_anomaly,
  case when abs(score) >= 3.5 then {{ dbt.concat([
    ai_billing.amount_text('billed_cost'), "' '", 'billing_currency', "' is '",
    ai_billing.amount_text('abs(billed_cost - usual_cost)'),
    "case when score > 0 then ' more' else ' less' end", "' than usual for a '", ai_billing.weekday_name('day'),
    "': the median of the '", 'cast(days_compared as ' ~ text ~ ')', "' before is '", ai_billing.amount_text('usual_cost'),
    "', and half of them are within '", ai_billing.amount_text('usual_spread'), "' of it'",
    "case when day_status = 'proven' then '' else '; the day is not proven' end"]) }}
  end as why,
  day_status
from scored
where is_charged or label = 'all' or (days_compared >= 4 and usual_cost <> 0)
