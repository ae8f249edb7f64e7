-- Costs that grew or fell, for each value of each label, up to the newest complete day of each account.
{%- set month = ai_billing.month_of('through_day') %}
{%- set previous_month = ai_billing.add_months(month, -1) %}
{%- set next_day = ai_billing.add_days('through_day', 1) %}
{%- set same_day = ai_billing.add_days(previous_month, ai_billing.day_of_month('through_day')) %}
{%- set periods = [
  ['month_to_date', month, next_day, previous_month, 'least(' ~ same_day ~ ', ' ~ month ~ ')'],
  ['last_month', previous_month, month, ai_billing.add_months(month, -2), previous_month],
  ['last_7_days', ai_billing.add_days('through_day', -6), next_day, ai_billing.add_days('through_day', -13),
    ai_billing.add_days('through_day', -6)],
  ['last_30_days', ai_billing.add_days('through_day', -29), next_day, ai_billing.add_days('through_day', -59),
    ai_billing.add_days('through_day', -29)],
] %}
{%- set selects %}
  {%- for comparison, period_start, period_end, previous_start, previous_end in periods %}
  select
    place, '{{ comparison }}' as comparison, {{ period_start }} as period_start, {{ period_end }} as period_end,
    {{ previous_start }} as previous_start, {{ previous_end }} as previous_end
  from (select distinct place, through_day from {{ ref('ai_billing__calendar_costs') }}) as places
  {{ 'union all' if not loop.last }}
  {%- endfor %}
{%- endset %}
{{ ai_billing.movers_over(selects) }}
