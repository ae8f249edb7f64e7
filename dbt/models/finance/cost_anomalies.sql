-- Usage charges of a day that are unusual: for all costs, and for each value of a label. Two rules find them, each from at least eight
-- values, and a value that is new is an event of its own (`kind`).
--
-- account: far from the same weekday in the eight weeks before, and large for the account. The score is the distance from their median,
-- in units of their spread:
--
--     score = (billed_cost - usual_cost) / max(1.4826 x usual_spread, 0.1 x usual_cost, 0.01 x the account's usual_cost)
--
-- The spread is the median absolute deviation; times 1.4826 it is the standard deviation of normally distributed values. The
-- two other terms are floors: without them a weekday that always cost the same, or a label that costs next to nothing, would
-- have endless scores. A score of 3.5 or more, or -3.5 or less, is far (Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993).
-- The median of eight values says little about rare days, so the distance must also be three times that of the farthest of the eight.
--
-- label: large for the value itself, as the days of a leaked key are: five times the mean of up to 28 days with costs before, twice the
-- largest of them, and a hundredth of the account's usual_cost above that mean.
--
-- new: a model, a project or a key without costs in the eight weeks and longer before, as far as costs are looked at, which costs a fiftieth of the account's usual_cost on a day of its first week.
--
-- A day on which a cost cannot be summed has no row: what it cost is not known.
-- A day on which a value of a label costs nothing, and usually costs nothing, has no row.
{%- set labels = ['model_id', 'project_id', 'api_key_id', 'team'] %}
{%- set type_decimal = ai_billing.type_decimal() %}
{%- set text = dbt.type_string() %}
{%- set series = ['place', 'label', 'value', 'billing_currency'] %}
{%- set before = '(partition by spans.series_number order by costs.day rows between 28 preceding and 1 preceding)' %}
with calendar as (
  select
    place, account, base_url, day, day_status, has_invalid_rows,
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
    count(*) over (partition by spans.series_number, {{ ai_billing.weekday('costs.day') }}) as same_weekdays,
    count(*) over {{ before }} as own_days,
    sum(costs.billed_cost) over {{ before }} as own_cost,
    max(costs.billed_cost) over {{ before }} as own_largest_cost
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
    coalesce(charged.billed_cost, cast(0 as {{ type_decimal }})) as billed_cost,
    coalesce(charged.own_days, 0) as own_days,
    case when charged.own_days > 0 then {{ ai_billing.divided('charged.own_cost', 'charged.own_days') }} end as own_usual_cost,
    charged.own_largest_cost
  from looked_at
  inner join spans on looked_at.series_number = spans.series_number and looked_at.day <= spans.last_day
  inner join calendar on spans.place = calendar.place and looked_at.day = calendar.day
  left join charged on looked_at.series_number = charged.series_number and looked_at.day = charged.day
  where calendar.day > calendar.scored_after
    and not calendar.has_invalid_rows
),

{{ ai_billing.measured_days() }},

scaled as (
  select
    measured.*,
    case when days_compared = 8 and usual_spread < 10000000000000 and abs(usual_cost) < 10000000000000
      and coalesce(account_usual_cost, 0) < 10000000000000 then
      greatest(1.4826 * usual_spread, 0.1 * abs(usual_cost), 0.01 * coalesce(account_usual_cost, 0))
    end as scale
  from measured
),

scored as (
  select
    scaled.*,
    {{ ai_billing.ratio('billed_cost - usual_cost', 'scale') }} as score,
    -- Amounts beyond any bill are not multiplied.
    own_days >= 8 and own_usual_cost > 0
    and own_usual_cost < 10000000000000 and own_largest_cost < 10000000000000 and coalesce(account_usual_cost, 0) < 10000000000000
    and billed_cost >= 5 * own_usual_cost
    and billed_cost >= 2 * own_largest_cost
    and billed_cost - own_usual_cost >= 0.01 * coalesce(account_usual_cost, 0) as is_large_for_label,
    label in ('model_id', 'project_id', 'api_key_id') and value is not null and is_charged
    and first_day >= {{ ai_billing.add_days('account_first_day', 8) }}
    and day < {{ ai_billing.add_days('first_day', 7) }}
    and account_usual_cost > 0 and account_usual_cost < 10000000000000
    and billed_cost >= 0.02 * account_usual_cost as is_large_and_new
  from scaled
),

judged as (
  select
    scored.*,
    case
      when abs(score) >= 3.5 and abs(billed_cost - usual_cost) >= 3 * farthest then 'account'
      when is_large_for_label then 'label'
      -- A value is new once: on the first such day.
      when is_large_and_new
        and day = min(case when is_large_and_new then day end) over (partition by series_number) then 'new'
    end as kind
  from scored
)

select
  day, account, base_url, label, value, billing_currency, billed_cost, usual_cost, usual_spread, days_compared, score,
  own_usual_cost, own_largest_cost, own_days, account_usual_cost,
  kind is not null as is_anomaly,
  kind,
  case kind
    when 'account' then {{ dbt.concat([
      ai_billing.amount_text('billed_cost'), "' '", 'billing_currency', "' is '",
      ai_billing.amount_text('abs(billed_cost - usual_cost)'),
      "case when score > 0 then ' more' else ' less' end", "' than usual for a '", ai_billing.weekday_name('day'),
      "': the median of the '", 'cast(days_compared as ' ~ text ~ ')', "' before is '", ai_billing.amount_text('usual_cost'),
      "', and half of them are within '", ai_billing.amount_text('usual_spread'), "' of it'",
      "case when day_status = 'proven' then '' else '; the day is not proven' end"]) }}
    when 'label' then {{ dbt.concat([
      ai_billing.amount_text('billed_cost'), "' '", 'billing_currency', "' is '",
      ai_billing.amount_text('billed_cost - own_usual_cost'), "' more than its usual day: the mean of the '",
      'cast(own_days as ' ~ text ~ ')', "' days with costs before is '", ai_billing.amount_text('own_usual_cost'),
      "', and the largest of them '", ai_billing.amount_text('own_largest_cost'),
      "case when day_status = 'proven' then '' else '; the day is not proven' end"]) }}
    when 'new' then {{ dbt.concat([
      ai_billing.amount_text('billed_cost'), "' '", 'billing_currency', "' is new: there was no charge from '",
      ai_billing.day_text('account_first_day'), "' until '", ai_billing.day_text('first_day'), "', and all costs of a '", ai_billing.weekday_name('day'), "' are usually '",
      ai_billing.amount_text('account_usual_cost'),
      "case when day_status = 'proven' then '' else '; the day is not proven' end"]) }}
  end as why,
  day_status
from judged
where is_charged or label = 'all' or (days_compared = 8 and usual_cost <> 0)
