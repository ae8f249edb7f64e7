-- Each month of costs as the tables showed it at the end of every day since it was first read. An append table keeps all old rows. A
-- table in dedup mode, or a pruned one, loses some: then `is_history_kept` is false, and the cost is null.
{%- set keys = ['place', 'month', 'service_provider_name', 'billing_currency'] %}
{%- set zero = 'cast(0 as ' ~ ai_billing.type_decimal() ~ ')' %}
with versions as (
  select
    {{ ai_billing.place_of('base_url', 'account') }} as place, account, base_url, month, service_provider_name,
    billing_currency, billed_cost, found_on, gone_on
  from {{ ref('ai_billing__found_costs') }}
),

standing as (
  select
    {{ ai_billing.place_of('base_url', 'account') }} as place, {{ ai_billing.month_of('day') }} as month, is_kept,
    cast(since as date) as since_day, cast(until as date) as until_day
  from {{ ref('ai_billing__standing_costs') }}
),

series as (
  select {{ keys | join(', ') }}, min(found_on) as found_on from versions group by {{ keys | join(', ') }}
),

places as (
  select place, max(account) as account, max(base_url) as base_url from versions group by place
),

first_reports as (
  select place, month, min(since_day) as since_day from standing group by place, month
),

read_days as (
  select distinct place, cast(began_at as date) as day from {{ ref('ai_billing__manifest') }} where dataset = 'costs'
),

last_reads as (
  select place, max(day) as day from read_days group by place
),

days as (
  select distinct place, day
  from (
    select place, day from read_days
    union all
    select calendar.place, calendar.day
    from {{ ref('ai_billing__calendar_costs') }} as calendar
    inner join last_reads on calendar.place = last_reads.place and calendar.day <= last_reads.day
  ) as seen
),

moments as (
  select
    {%- for key in keys %}
    series.{{ key }},
    {%- endfor %}
    days.day, {{ zero }} as amount, 0 as lost
  from series
  left join first_reports on series.place = first_reports.place and series.month = first_reports.month
  inner join days
    on series.place = days.place and days.day >= coalesce(least(first_reports.since_day, series.found_on), series.found_on)
  union all
  select {{ keys | join(', ') }}, found_on, billed_cost, 0 from versions
  union all
  select {{ keys | join(', ') }}, gone_on, -1 * billed_cost, 0 from versions where gone_on is not null
  union all
  select
    {%- for key in keys %}
    series.{{ key }},
    {%- endfor %}
    standing.since_day, {{ zero }}, 1
  from standing
  inner join series on standing.place = series.place and standing.month = series.month
  where not standing.is_kept
  union all
  select
    {%- for key in keys %}
    series.{{ key }},
    {%- endfor %}
    standing.until_day, {{ zero }}, -1
  from standing
  inner join series on standing.place = series.place and standing.month = series.month
  where not standing.is_kept and standing.until_day is not null
),

daily as (
  select {{ keys | join(', ') }}, day, sum(amount) as amount, sum(lost) as lost
  from moments
  group by {{ keys | join(', ') }}, day
),

summed as (
  select
    {{ keys | join(', ') }}, day,
    sum(amount) over (
      partition by {{ keys | join(', ') }} order by day rows between unbounded preceding and current row
    ) as billed_cost,
    sum(lost) over (
      partition by {{ keys | join(', ') }} order by day rows between unbounded preceding and current row
    ) as lost
  from daily
)

select
  summed.month, summed.day as as_of_day, places.account, places.base_url, summed.service_provider_name,
  summed.billing_currency,
  case when summed.lost = 0 then summed.billed_cost end as billed_cost,
  summed.lost = 0 as is_history_kept
from summed
inner join places on summed.place = places.place
