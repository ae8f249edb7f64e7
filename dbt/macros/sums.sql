{% macro total_sides() %}
  {{ return({
    'costs': {'labels': ['currency', 'charge_category', 'cost_status'],
      'columns': ['billing_currency', 'charge_category', 'cost_status'],
      'measures': {'billed': 'billed_cost', 'effective': 'effective_cost'}},
    'usage': {'labels': ['usage_type', 'unit'], 'columns': ['usage_type', 'consumed_unit'],
      'measures': {'quantity': 'consumed_quantity'}}}) }}
{% endmacro %}

{# Compares the rows that stand for a day with the control totals of its deciding reading, group by group. A day without totals has
   no row here. On a database without the macro `explodes_totals` there are no rows at all. #}
{% macro sums_of(dataset) %}
{%- set side = ai_billing.total_sides()[dataset] -%}
{%- set all_labels = ['currency', 'charge_category', 'cost_status', 'usage_type', 'unit'] -%}
with deciding as (
  select '{{ dataset }}' as dataset, scope, day, reading_id, rows_reading_id, totals
  from {{ ref('ai_billing__days_' ~ dataset) }}
  where totals is not null and {{ ai_billing.explodes_totals() }}
),

said as (
  {{ ai_billing.exploded_totals('deciding', side.labels + ['records'] + (side.measures.keys() | list)) }}
),

shown as (
  select
    counted.scope, counted.day,
    {%- for column in side.columns %}
    counted.{{ column }} as {{ side.labels[loop.index0] }},
    {%- endfor %}
    counted.records,
    {%- for measure, column in side.measures.items() %}
    counted.{{ column }} as {{ measure }}{{ ',' if not loop.last }}
    {%- endfor %}
  from {{ ref('ai_billing__shown_' ~ dataset) }} as counted
  inner join deciding
    on counted.scope = deciding.scope and counted.day = deciding.day and counted.reading_id = deciding.rows_reading_id
),

both_ as (
  select scope, day, {{ side.labels | join(', ') }}, cast(records as {{ dbt.type_bigint() }}) as said_records, 0 as shown_records,
    {%- for measure in side.measures %}
    {{ ai_billing.to_total(measure) }} as said_{{ measure }},
    cast(0 as {{ ai_billing.type_decimal() }}) as shown_{{ measure }}{{ ',' if not loop.last }}
    {%- endfor %}
  from said
  union all
  select scope, day, {{ side.labels | join(', ') }}, 0, records,
    {%- for measure in side.measures %}
    cast(0 as {{ ai_billing.type_decimal() }}),
    {{ measure }}{{ ',' if not loop.last }}
    {%- endfor %}
  from shown
),

summed as (
  select
    scope, day, {{ side.labels | join(', ') }},
    sum(said_records) as said_records,
    sum(shown_records) as shown_records,
    {%- for measure in side.measures %}
    sum(shown_{{ measure }}) as shown_{{ measure }},
    -- If a total does not fit into the decimal type, the difference is null, and the group counts as not reconciled.
    case when count(*) = count(said_{{ measure }}) then sum(said_{{ measure }}) end as said_{{ measure }}{{ ',' if not loop.last }}
    {%- endfor %}
  from both_
  group by scope, day, {{ side.labels | join(', ') }}
)

{% for measure in side.measures %}
select
  '{{ dataset }}' as dataset, summed.scope, summed.day, deciding.reading_id, '{{ measure }}' as measure,
  {%- for label in all_labels %}
  {{ 'summed.' ~ label if label in side.labels else 'cast(null as ' ~ dbt.type_string() ~ ')' }} as {{ label }},
  {%- endfor %}
  summed.shown_records as current_records,
  summed.said_records as reading_records,
  summed.shown_{{ measure }} as current_amount,
  summed.said_{{ measure }} as reading_amount,
  summed.shown_{{ measure }} - summed.said_{{ measure }} as difference,
  coalesce(
    summed.shown_{{ measure }} = summed.said_{{ measure }} and summed.shown_records = summed.said_records, false
  ) as is_reconciled
from summed
inner join deciding on summed.scope = deciding.scope and summed.day = deciding.day
{{ 'union all' if not loop.last }}
{% endfor %}
{% endmacro %}
