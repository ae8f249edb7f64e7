{# Calculations with UTC days. A result that is a day is a date. dbt's own date macros for Spark depend on the time zone of the session. #}

{% macro add_days(day, days) %}{{ return(adapter.dispatch('add_days', 'ai_billing')(day, days)) }}{% endmacro %}
{% macro default__add_days(day, days) %}cast({{ dbt.dateadd('day', days, day) }} as date){% endmacro %}
{% macro spark__add_days(day, days) %}date_add({{ day }}, cast({{ days }} as int)){% endmacro %}

{% macro add_months(day, months) %}{{ return(adapter.dispatch('add_months', 'ai_billing')(day, months)) }}{% endmacro %}
{% macro default__add_months(day, months) %}cast({{ dbt.dateadd('month', months, day) }} as date){% endmacro %}
{% macro spark__add_months(day, months) %}add_months({{ day }}, {{ months }}){% endmacro %}

{# The first day of the month of a day. #}
{% macro month_of(day) %}{{ return(adapter.dispatch('month_of', 'ai_billing')(day)) }}{% endmacro %}
{% macro default__month_of(day) %}cast({{ dbt.date_trunc('month', day) }} as date){% endmacro %}
{% macro spark__month_of(day) %}trunc({{ day }}, 'MM'){% endmacro %}

{# The number of days from one day to a later one. #}
{% macro days_between(first, last) %}{{ return(adapter.dispatch('days_between', 'ai_billing')(first, last)) }}{% endmacro %}
{% macro default__days_between(first, last) %}{{ dbt.datediff(first, last, 'day') }}{% endmacro %}
{% macro spark__days_between(first, last) %}datediff({{ last }}, {{ first }}){% endmacro %}

{% macro day_of_month(day) %}cast(extract(day from {{ day }}) as integer){% endmacro %}

{# 0 is Monday, 6 is Sunday: 1 January 1900 was a Monday. #}
{% macro weekday(day) %}mod({{ ai_billing.days_between("cast('1900-01-01' as date)", day) }}, 7){% endmacro %}

{% macro weekday_name(day) -%}
  case {{ ai_billing.weekday(day) }}
    {%- for name in ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] %} when {{ loop.index0 }} then '{{ name }}'{% endfor %} end
{%- endmacro %}

{# Whether a cost is usage that is charged by the day. A charge for a longer period, such as a plan by the month, comes once. #}
{% macro is_daily_usage(costs) -%}
  ({{ costs }}.charge_category = 'Usage' and {{ costs }}.charge_period_end <= {{ ai_billing.midnight(costs ~ '.day', 1) }})
{%- endmacro %}
