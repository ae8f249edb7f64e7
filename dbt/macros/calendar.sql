{# Calendar of UTC days. Every result is a date. #}

{% macro add_days(day, days) %}cast({{ dbt.dateadd('day', days, day) }} as date){% endmacro %}

{% macro add_months(day, months) %}cast({{ dbt.dateadd('month', months, day) }} as date){% endmacro %}

{# The first day of the month that a day is in. #}
{% macro month_of(day) %}cast({{ dbt.date_trunc('month', day) }} as date){% endmacro %}

{# The number of days from one day to a later one. #}
{% macro days_between(first, last) %}{{ dbt.datediff(first, last, 'day') }}{% endmacro %}

{% macro day_of_month(day) %}cast(extract(day from {{ day }}) as integer){% endmacro %}

{# 0 is Monday, 6 is Sunday: 1 January 1900 was a Monday. #}
{% macro weekday(day) %}mod({{ ai_billing.days_between("cast('1900-01-01' as date)", day) }}, 7){% endmacro %}

{% macro weekday_name(day) -%}
  case {{ ai_billing.weekday(day) }}
    {%- for name in ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] %} when {{ loop.index0 }} then '{{ name }}'{% endfor %} end
{%- endmacro %}
