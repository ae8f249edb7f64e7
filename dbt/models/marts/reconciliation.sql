-- What current_* shows of each deciding reading's rows against the reading's own control totals.
{%- set sides = {
  'costs': {'labels': ['currency', 'charge_category', 'cost_status'],
    'columns': ['billing_currency', 'charge_category', 'cost_status'],
    'measures': {'billed': 'billed_cost', 'effective': 'effective_cost'}},
  'usage': {'labels': ['usage_type', 'unit'], 'columns': ['usage_type', 'consumed_unit'],
    'measures': {'quantity': 'consumed_quantity'}}} %}
{%- set labels = ['currency', 'charge_category', 'cost_status', 'usage_type', 'unit'] %}
with
{% for dataset, side in sides.items() %}
{{ dataset }}_deciding as (
  select
    decided.dataset, decided.scope, decided.day, decided.account, decided.base_url, decided.reading_id,
    decided.status, days.totals
  from {{ ref('ai_billing__completeness_' ~ dataset) }} as decided
  inner join {{ ref('ai_billing__days_' ~ dataset) }} as days
    on decided.reading_id = days.reading_id
    and decided.day = days.day
    and days.inside_window
),

{{ dataset }}_said as (
  {{ ai_billing.exploded_totals(dataset ~ '_deciding', side.labels + ['records'] + (side.measures.keys() | list)) }}
),

{{ dataset }}_own as (
  select distinct rows_.scope, rows_.day, rows_.record_id
  from {{ dataset }}_deciding as decided
  inner join {{ ref('ai_billing__rows_' ~ dataset) }} as rows_
    on decided.reading_id = rows_.reading_id and decided.scope = rows_.scope and decided.day = rows_.day
    and rows_.inside_window
),

{{ dataset }}_shown as (
  select
    current_.scope, current_.day,
    {%- for column in side.columns %}
    current_.{{ column }} as {{ side.labels[loop.index0] }},
    {%- endfor %}
    count(*) as records,
    {%- for measure, column in side.measures.items() %}
    sum(current_.{{ column }}) as {{ measure }}{{ ',' if not loop.last }}
    {%- endfor %}
  from {{ ref('ai_billing__judged_' ~ dataset) }} as current_
  inner join {{ dataset }}_own as own
    on current_.scope = own.scope and current_.day = own.day and current_.record_id = own.record_id
  where current_.judge_reading_id is null and current_.is_valid
  group by current_.scope, current_.day
    {%- for column in side.columns %}, current_.{{ column }}{% endfor %}
),

{{ dataset }}_both as (
  select scope, day, {{ side.labels | join(', ') }}, cast(records as {{ dbt.type_bigint() }}) as said_records, 0 as shown_records,
    {%- for measure in side.measures %}
    {{ ai_billing.to_decimal(measure) }} as said_{{ measure }},
    cast(0 as {{ ai_billing.type_decimal() }}) as shown_{{ measure }}{{ ',' if not loop.last }}
    {%- endfor %}
  from {{ dataset }}_said
  union all
  select scope, day, {{ side.labels | join(', ') }}, 0, records,
    {%- for measure in side.measures %}
    cast(0 as {{ ai_billing.type_decimal() }}),
    {{ measure }}{{ ',' if not loop.last }}
    {%- endfor %}
  from {{ dataset }}_shown
),

{{ dataset }}_summed as (
  select
    scope, day, {{ side.labels | join(', ') }},
    sum(said_records) as said_records,
    sum(shown_records) as shown_records,
    {%- for measure in side.measures %}
    sum(shown_{{ measure }}) as shown_{{ measure }},
    -- A total that does not fit is no total: the difference is then null, and nothing is reconciled.
    case when count(*) = count(said_{{ measure }}) then sum(said_{{ measure }}) end as said_{{ measure }}{{ ',' if not loop.last }}
    {%- endfor %}
  from {{ dataset }}_both
  group by scope, day, {{ side.labels | join(', ') }}
),
{% endfor %}

compared as (
  {%- for dataset, side in sides.items() %}
  {%- set outer_last = loop.last %}
  {%- for measure in side.measures %}
  select
    '{{ dataset }}' as dataset, decided.account, decided.base_url, decided.day, decided.reading_id, decided.status,
    '{{ measure }}' as measure,
    {%- for label in labels %}
    {{ 'both_.' ~ label if label in side.labels else 'cast(null as ' ~ dbt.type_string() ~ ')' }} as {{ label }},
    {%- endfor %}
    both_.shown_records as current_records,
    both_.said_records as reading_records,
    both_.shown_{{ measure }} as current_amount,
    both_.said_{{ measure }} as reading_amount
  from {{ dataset }}_summed as both_
  inner join {{ dataset }}_deciding as decided on both_.scope = decided.scope and both_.day = decided.day
  {{ 'union all' if not (loop.last and outer_last) }}
  {%- endfor %}
  {%- endfor %}
)

select
  dataset, account, base_url, day, reading_id, measure, {{ labels | join(', ') }},
  current_records, reading_records, current_amount, reading_amount,
  current_amount - reading_amount as difference,
  status = 'proven' as is_proven,
  coalesce(current_amount = reading_amount and current_records = reading_records, false) as is_reconciled
from compared
