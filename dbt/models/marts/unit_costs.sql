-- Effective cost of usage per million units. Both sides are added up first and then joined, never row by row. Labels
-- that only one side ever carries are left out, and null equals null.
{%- set labels = ['service_name', 'model_id', 'project_id', 'workspace_id', 'api_key_id', 'service_tier',
  'upstream_provider'] %}
with usage_rows as (
  select current_.*, {{ ai_billing.place_of('base_url', 'account') }} as place from {{ ref('current_usage') }} as current_
),

cost_rows as (
  select current_.*, {{ ai_billing.place_of('base_url', 'account') }} as place from {{ ref('current_costs') }} as current_
),

carried as (
  {%- for relation in ['usage_rows', 'cost_rows'] %}
  select place{% for label in labels %}, max(case when {{ label }} is not null then 1 else 0 end) as {{ label }}{% endfor %}
  from {{ relation }}
  group by place
  {{ 'union all' if not loop.last }}
  {%- endfor %}
),

shared as (
  select place{% for label in labels %}, min({{ label }}) as {{ label }}{% endfor %}
  from carried
  group by place
  having count(*) = 2
),

quantities as (
  select
    rows_.place,
    max(rows_.account) as account,
    max(rows_.base_url) as base_url,
    rows_.day,
    {%- for label in labels %}
    case when shared.{{ label }} = 1 then rows_.{{ label }} end as {{ label }},
    {%- endfor %}
    rows_.usage_type,
    {{ ai_billing.unit_name('rows_.consumed_unit') }} as unit,
    sum(rows_.consumed_quantity * {{ ai_billing.unit_factor('rows_.consumed_unit') }}) as quantity,
    max(rows_.day_status) as status
  from usage_rows as rows_
  left join shared on rows_.place = shared.place
  group by
    rows_.place, rows_.day, rows_.usage_type, {{ ai_billing.unit_name('rows_.consumed_unit') }}
    {%- for label in labels %}, case when shared.{{ label }} = 1 then rows_.{{ label }} end{% endfor %}
),

-- A cost names no unit: where a usage type comes in several, what one cost is for cannot be told.
units as (
  select
    quantities.*,
    count(*) over (
      partition by place, day, usage_type{% for label in labels %}, {{ label }}{% endfor %}
    ) as units
  from quantities
),

effective as (
  select
    rows_.place,
    max(rows_.account) as account,
    max(rows_.base_url) as base_url,
    rows_.day,
    {%- for label in labels %}
    case when shared.{{ label }} = 1 then rows_.{{ label }} end as {{ label }},
    {%- endfor %}
    rows_.usage_type,
    rows_.billing_currency,
    sum(rows_.effective_cost) as effective_cost,
    max(rows_.day_status) as status
  from cost_rows as rows_
  left join shared on rows_.place = shared.place
  where rows_.charge_category = 'Usage' and rows_.is_counted
  group by
    rows_.place, rows_.day, rows_.usage_type, rows_.billing_currency
    {%- for label in labels %}, case when shared.{{ label }} = 1 then rows_.{{ label }} end{% endfor %}
),

-- One text to join by, so that a database can use a hash. A quantity in several units meets no cost.
keyed_units as (
  select
    units.*,
    case when units = 1 then {{ ai_billing.key_of(['place', 'day'] + labels + ['usage_type']) }} end as join_key
  from units
),

keyed_effective as (
  select effective.*, {{ ai_billing.key_of(['place', 'day'] + labels + ['usage_type']) }} as join_key
  from effective
)

select
  coalesce(units.day, effective.day) as day,
  coalesce(units.account, effective.account) as account,
  coalesce(units.base_url, effective.base_url) as base_url,
  {%- for label in labels %}
  coalesce(units.{{ label }}, effective.{{ label }}) as {{ label }},
  {%- endfor %}
  coalesce(units.usage_type, effective.usage_type) as usage_type,
  units.unit,
  effective.billing_currency,
  units.quantity,
  effective.effective_cost,
  {{ ai_billing.per_million('effective.effective_cost', 'units.quantity') }} as effective_cost_per_million,
  case when effective.effective_cost is null then units.quantity end as quantity_without_cost,
  case
    when coalesce(units.status, 'proven') = 'proven' and coalesce(effective.status, 'proven') = 'proven' then 'proven'
    when 'unproven' in (units.status, effective.status) then 'unproven'
    else 'incomplete'
  end as day_status
from keyed_units as units
full outer join keyed_effective as effective on units.join_key = effective.join_key
