-- Effective cost of usage per million units. Usage and costs are added up first and joined then, never row by row. If only one of the
-- two ever has a value in a label, the label is left out. In the join null equals null.
--
-- If the costs of a provider never name a usage type, nobody can tell the price of each type. Then all tokens of a model stand beside
-- all its costs of the day, and `basis` is "blended".
{%- set labels = ['service_name'] + ai_billing.labels('both') %}
{%- set sources = ['day', 'account', 'base_url', 'service_provider_name'] %}
{%- set join_columns = ['source_', 'day'] + labels + ['usage_type'] %}
{%- set text = dbt.type_string() %}
with usage_sums as (
  select
    {{ (sources + labels) | join(', ') }}, usage_type,
    {{ ai_billing.unit_name('consumed_unit') }} as unit,
    sum(consumed_quantity * {{ ai_billing.unit_factor('consumed_unit') }}) as quantity,
    max(day_status) as status
  from {{ ref('current_usage') }}
  group by {{ (sources + labels) | join(', ') }}, usage_type, {{ ai_billing.unit_name('consumed_unit') }}
),

cost_sums as (
  select
    {{ (sources + labels) | join(', ') }}, usage_type, billing_currency,
    sum(effective_cost) as effective_cost,
    max(day_status) as status
  from {{ ref('current_costs') }}
  where charge_category = 'Usage' and is_counted
  group by {{ (sources + labels) | join(', ') }}, usage_type, billing_currency
),

{%- for relation in ['usage', 'cost'] %}
{{ relation }}_rows as (
  select
    {{ relation }}_sums.*,
    {{ ai_billing.key_of(['account', 'base_url', 'service_provider_name']) }} as source_
  from {{ relation }}_sums
),
{% endfor %}
carried as (
  {%- for relation in ['usage_rows', 'cost_rows'] %}
  select source_{% for label in labels %}, max(case when {{ label }} is not null then 1 else 0 end) as {{ label }}{% endfor %}
  from {{ relation }}
  group by source_
  {{ 'union all' if not loop.last }}
  {%- endfor %}
),

shared as (
  select source_{% for label in labels %}, min({{ label }}) as {{ label }}{% endfor %}
  from carried
  group by source_
  having count(*) = 2
),

untyped as (
  select source_ from cost_rows group by source_ having max(case when usage_type is not null then 1 else 0 end) = 0
),

model_tokens as (
  select usage_rows.source_, usage_rows.day, model_id, sum(quantity) as quantity, max(status) as status
  from usage_rows
  inner join untyped on usage_rows.source_ = untyped.source_
  where model_id is not null and {{ ai_billing.is_tokens('unit') }}
  group by usage_rows.source_, usage_rows.day, model_id
),

model_costs as (
  select
    cost_rows.source_, day, model_id, billing_currency,
    {%- for name in sources if name != 'day' %}
    max({{ name }}) as {{ name }},
    {%- endfor %}
    sum(effective_cost) as effective_cost,
    max(status) as status
  from cost_rows
  inner join untyped on cost_rows.source_ = untyped.source_
  where model_id is not null
  group by cost_rows.source_, day, model_id, billing_currency
),

blended as (
  select
    model_costs.*,
    model_tokens.quantity,
    model_tokens.status as usage_status
  from model_costs
  inner join model_tokens
    on model_costs.source_ = model_tokens.source_
    and model_costs.day = model_tokens.day
    and model_costs.model_id = model_tokens.model_id
),

blended_models as (
  select distinct source_, day, model_id from blended
),

quantities as (
  select
    rows_.source_,
    {%- for name in sources if name != 'day' %}
    max(rows_.{{ name }}) as {{ name }},
    {%- endfor %}
    rows_.day,
    {%- for label in labels %}
    case when shared.{{ label }} = 1 then rows_.{{ label }} end as {{ label }},
    {%- endfor %}
    rows_.usage_type,
    rows_.unit,
    sum(rows_.quantity) as quantity,
    max(rows_.status) as status
  from usage_rows as rows_
  left join shared on rows_.source_ = shared.source_
  left join blended_models
    on rows_.source_ = blended_models.source_
    and rows_.day = blended_models.day
    and rows_.model_id = blended_models.model_id
  where blended_models.source_ is null or not {{ ai_billing.is_tokens('rows_.unit') }}
  group by
    rows_.source_, rows_.day, rows_.usage_type, rows_.unit
    {%- for label in labels %}, case when shared.{{ label }} = 1 then rows_.{{ label }} end{% endfor %}
),

-- A cost names no unit. If usage of one type comes in several units, nobody can tell which of them a cost pays for.
units as (
  select
    quantities.*,
    count(*) over (
      partition by source_, day, usage_type{% for label in labels %}, {{ label }}{% endfor %}
    ) as units
  from quantities
),

effective as (
  select
    rows_.source_,
    {%- for name in sources if name != 'day' %}
    max(rows_.{{ name }}) as {{ name }},
    {%- endfor %}
    rows_.day,
    {%- for label in labels %}
    case when shared.{{ label }} = 1 then rows_.{{ label }} end as {{ label }},
    {%- endfor %}
    rows_.usage_type,
    rows_.billing_currency,
    sum(rows_.effective_cost) as effective_cost,
    max(rows_.status) as status
  from cost_rows as rows_
  left join shared on rows_.source_ = shared.source_
  left join blended_models
    on rows_.source_ = blended_models.source_
    and rows_.day = blended_models.day
    and rows_.model_id = blended_models.model_id
  where blended_models.source_ is null
  group by
    rows_.source_, rows_.day, rows_.usage_type, rows_.billing_currency
    {%- for label in labels %}, case when shared.{{ label }} = 1 then rows_.{{ label }} end{% endfor %}
),

-- One text to join by, so that a database can join by hash. If a usage type has several units, its quantities meet no cost.
keyed_units as (
  select units.*, case when units = 1 then {{ ai_billing.key_of(join_columns) }} end as join_key from units
),

keyed_effective as (
  select effective.*, {{ ai_billing.key_of(join_columns) }} as join_key from effective
),

priced as (
  select
    {%- for name in sources + labels + ['usage_type'] %}
    coalesce(units.{{ name }}, effective.{{ name }}) as {{ name }},
    {%- endfor %}
    'priced_usage_type' as basis,
    units.unit,
    effective.billing_currency,
    units.quantity,
    effective.effective_cost,
    units.status as usage_status,
    effective.status as cost_status
  from keyed_units as units
  full outer join keyed_effective as effective on units.join_key = effective.join_key
  union all
  select
    {{ sources | join(', ') }},
    {%- for label in labels %}
    {{ label if label == 'model_id' else 'cast(null as ' ~ text ~ ')' }},
    {%- endfor %}
    cast(null as {{ text }}), 'blended', 'Tokens', billing_currency, quantity, effective_cost, usage_status, status
  from blended
)

select
  {{ (sources + labels) | join(',\n  ') }},
  usage_type,
  basis,
  unit,
  billing_currency,
  quantity,
  effective_cost,
  {{ ai_billing.per_million('effective_cost', 'quantity') }} as effective_cost_per_million,
  case when effective_cost is null then quantity end as quantity_without_cost,
  {{ ai_billing.worst_status('usage_status', 'cost_status') }} as day_status
from priced
