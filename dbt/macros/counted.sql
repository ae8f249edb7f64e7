{#
  Numbers and sums of rows by day and reading. The steps that tell for each day whether it is proven read these instead of the rows, so
  that they take the same time however many rows a day has.
#}

{# The number of newest rows by reading: those that started inside its window, and the others. #}
{% macro counts_of(dataset) %}
select scope, day, reading_id, inside_window, count(*) as rows_
from {{ ref('ai_billing__placed_' ~ dataset) }}
where age = 1
group by scope, day, reading_id, inside_window
{% endmacro %}

{# The number of rows that count, by the columns that a proof needs. #}
{% macro live_of(dataset) %}
{%- set told = ['scope', 'day', 'reading_id', 'is_long', 'is_stray', 'is_valid', 'listed_by', 'listed_in_pass'] -%}
select {{ told | join(', ') }}, cast(count(*) as integer) as rows_
from {{ ref('ai_billing__judged_' ~ dataset) }}
where judge_reading_id is null
group by {{ told | join(', ') }}
{% endmacro %}

{# The sums of rows as control totals have them. #}
{% macro shown_of(dataset) %}
{%- set side = ai_billing.total_sides()[dataset] -%}
{%- set told = ['scope', 'day', 'reading_id'] + side.columns -%}
select
  {{ told | join(', ') }},
  count(*) as records,
  {%- for column in side.measures.values() %}
  sum({{ column }}) as {{ column }}{{ ',' if not loop.last }}
  {%- endfor %}
from {{ ai_billing.with_values(ref('ai_billing__judged_' ~ dataset), dataset) }} as judged
where judge_reading_id is null and is_valid and inside_window
group by {{ told | join(', ') }}
{% endmacro %}
