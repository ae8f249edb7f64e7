-- Effective cost of usage per million units, each kind of usage by itself. Usage and costs are added up first and joined then, never row
-- by row. If only one of the two ever has a value in a label, or no service is in both, the label is left out. In the join null equals
-- null.
--
-- A cost that names no usage type is a price of nothing: it stands alone, and so do the quantities that no cost names. A line item may
-- name the kind of token instead (ai_billing__provider_costs). A cost for longer than a day pays for the usage of other days too, so it
-- is no price of its first day: it stands alone without a usage type.
{%- set labels = ['service_name'] + ai_billing.labels('both') %}
{%- set sources = ['account', 'base_url', 'service_provider_name'] %}
{%- set additive = var('ai_billing_corrections') != 'replacing' %}
{%- set is_daily = ai_billing.is_daily_usage('rows_') %}
{%- set measures = ['effective_cost', 'correction_cost', 'list_cost', 'unlisted', 'charges'] %}
{%- set join_columns = sources + ['day'] + labels + ['usage_type'] %}
with usage_ as {{ ai_billing.inlined() }}(
  select
    {{ (sources + ['day'] + labels) | join(', ') }}, usage_type,
    {{ ai_billing.unit_name('consumed_unit') }} as unit,
    consumed_quantity * {{ ai_billing.unit_factor('consumed_unit') }} as quantity,
    day_status as status
  from {{ ref('current_usage') }}
),

cost as {{ ai_billing.inlined() }}(
  select
    {%- for name in sources + ['day'] + labels + ['billing_currency', 'effective_cost'] %}
    rows_.{{ name }},
    {%- endfor %}
    rows_.day_status as status,
    case when {{ is_daily }} then coalesce(rows_.usage_type, said.usage_type) end as usage_type,
    case when {{ is_daily }} and rows_.usage_type is null and said.usage_type is not null then 1 else 0 end as is_token_kind,
    said.list_cost,
    {# A correction of an old day adds to its cost. A record that replaces another one is the whole cost. #}
    {{ "case when rows_.charge_class = 'Correction' or rows_.corrects_record_id is not null then 1 else 0 end" if additive else '0' }}
      as is_correction
  from {{ ref('current_costs') }} as rows_
  left join {{ ref('ai_billing__provider_costs') }} as said
    on rows_.reading_id = said.reading_id and rows_.record_id = said.record_id
  where rows_.charge_category = 'Usage' and rows_.is_counted
),

{%- for relation in ['usage_', 'cost'] %}
{{ relation }}_services as (
  select
    {{ (sources + ['service_name']) | join(', ') }}
    {%- for label in labels if label != 'service_name' %},
    max(case when {{ label }} is not null then 1 else 0 end) as has_{{ label }}
    {%- endfor %}
  from {{ relation }}
  group by {{ (sources + ['service_name']) | join(', ') }}
),
{% endfor %}
carried as (
  {%- for relation in ['usage_', 'cost'] %}
  select
    {{ sources | join(', ') }}
    {%- for label in labels if label != 'service_name' %},
    max(has_{{ label }}) as {{ label }}
    {%- endfor %}
  from {{ relation }}_services
  group by {{ sources | join(', ') }}
  {{ 'union all' if not loop.last }}
  {%- endfor %}
),

-- OpenAI's usage names services that its costs do not name.
services as (
  select distinct
    {%- for name in sources %}
    usage_names.{{ name }}{{ ',' if not loop.last }}
    {%- endfor %}
  from usage__services as usage_names
  inner join cost_services as cost_names
    on {{ ai_billing.same_values(sources, 'usage_names', 'cost_names') }} and usage_names.service_name = cost_names.service_name
),

shared as (
  select
    {%- for name in sources %}
    carried.{{ name }},
    {%- endfor %}
    max(case when services.found = 1 then 1 else 0 end) as service_name
    {%- for label in labels if label != 'service_name' %},
    min(carried.{{ label }}) as {{ label }}
    {%- endfor %}
  from carried
  left join (select services.*, 1 as found from services) as services on {{ ai_billing.same_values(sources, 'carried', 'services') }}
  group by
    {%- for name in sources %}
    carried.{{ name }}{{ ',' if not loop.last }}
    {%- endfor %}
  having count(*) = 2
),

{%- set sums = {
  'quantities': {'relation': 'usage_', 'kept': 'unit', 'sums': {'quantity': 'rows_.quantity'}, 'largest': ['status']},
  'effective': {'relation': 'cost', 'kept': 'billing_currency', 'largest': ['is_token_kind', 'status'], 'sums': {
    'effective_cost': 'rows_.effective_cost',
    'correction_cost': 'case when rows_.is_correction = 1 then rows_.effective_cost else ' ~ ai_billing.zero() ~ ' end',
    'list_cost': 'case when rows_.is_correction = 0 then rows_.list_cost end',
    'unlisted': 'case when rows_.is_correction = 0 and rows_.list_cost is null then 1 else 0 end',
    'charges': '1 - rows_.is_correction',
  }},
} %}
{%- for name, side in sums.items() %}
{{ name }} as (
  select
    {%- for column in sources + ['day'] %}
    rows_.{{ column }},
    {%- endfor %}
    {%- for label in labels %}
    case when shared.{{ label }} = 1 then rows_.{{ label }} end as {{ label }},
    {%- endfor %}
    rows_.usage_type,
    rows_.{{ side.kept }},
    {%- for column, sum in side.sums.items() %}
    sum({{ sum }}) as {{ column }},
    {%- endfor %}
    {%- for column in side.largest %}
    max(rows_.{{ column }}) as {{ column }}{{ ',' if not loop.last }}
    {%- endfor %}
  from {{ side.relation }} as rows_
  left join shared on {{ ai_billing.same_values(sources, 'rows_', 'shared') }}
  group by
    {%- for column in sources + ['day', 'usage_type', side.kept] %}
    rows_.{{ column }},
    {%- endfor %}
    {%- for label in labels %}
    case when shared.{{ label }} = 1 then rows_.{{ label }} end{{ ',' if not loop.last }}
    {%- endfor %}
),
{% endfor %}
-- A cost names no unit. If usage of one type comes in several units, nobody can tell which of them a cost pays for.
several as (
  select {{ join_columns | join(', ') }}, count(*) as units
  from quantities
  group by {{ join_columns | join(', ') }}
  having count(*) > 1
),

units as (
  select quantities.*, coalesce(several.units, 1) as units
  from quantities
  left join several on {{ ai_billing.same_values(join_columns, 'quantities', 'several') }}
),

priced as (
  select
    {%- for name in join_columns %}
    coalesce(units.{{ name }}, effective.{{ name }}) as {{ name }},
    {%- endfor %}
    case when effective.is_token_kind = 1 then 'priced_token_kind' else 'priced_usage_type' end as basis,
    units.unit,
    effective.billing_currency,
    units.quantity,
    {%- for name in measures %}
    effective.{{ name }},
    {%- endfor %}
    units.status as usage_status,
    effective.status as cost_status
  from units
  -- Quantities in several units meet no cost.
  full outer join (select effective.*, 1 as units from effective) as effective
    on {{ ai_billing.same_values(join_columns + ['units'], 'units', 'effective') }}
)

select
  day,
  {%- for name in sources + labels %}
  {{ name }},
  {%- endfor %}
  usage_type,
  basis,
  unit,
  billing_currency,
  quantity,
  effective_cost,
  correction_cost,
  case when unlisted = 0 then list_cost end as list_cost,
  charges,
  {{ ai_billing.per_million('effective_cost', 'quantity') }} as effective_cost_per_million,
  case when effective_cost is null then quantity end as quantity_without_cost,
  {{ ai_billing.worst_status('usage_status', 'cost_status') }} as day_status
from priced
