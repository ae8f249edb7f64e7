-- Effective cost of usage per million units, each kind of usage by itself. Usage and costs are added up first and joined then, never row
-- by row. If only one of the two ever has a value in a label, or no service is in both, the label is left out. In the join null equals
-- null.
--
-- A cost that names no usage type is a price of nothing: it stands alone, and so do the quantities that no cost names. A line item may
-- name the kind of token instead (ai_billing__provider_costs).
{%- set labels = ['service_name'] + ai_billing.labels('both') %}
{%- set sources = ['day', 'account', 'base_url', 'service_provider_name'] %}
{%- set join_columns = ['source_', 'day'] + labels + ['usage_type'] %}
{%- set additive = var('ai_billing_corrections') != 'replacing' %}
{%- set measures = ['effective_cost', 'correction_cost', 'list_cost', 'unlisted', 'charges'] %}
with usage_sums as (
  select
    {{ (sources + labels) | join(', ') }}, usage_type,
    {{ ai_billing.unit_name('consumed_unit') }} as unit,
    sum(consumed_quantity * {{ ai_billing.unit_factor('consumed_unit') }}) as quantity,
    max(day_status) as status
  from {{ ref('current_usage') }}
  group by {{ (sources + labels) | join(', ') }}, usage_type, {{ ai_billing.unit_name('consumed_unit') }}
),

costs as (
  select
    {%- for name in sources + labels + ['billing_currency', 'effective_cost', 'day_status'] %}
    rows_.{{ name }},
    {%- endfor %}
    coalesce(rows_.usage_type, said.usage_type) as usage_type,
    case when rows_.usage_type is null and said.usage_type is not null then 1 else 0 end as is_token_kind,
    said.list_cost,
    {# A correction of an old day adds to its cost. A record that replaces another one is the whole cost. #}
    {{ "case when rows_.charge_class = 'Correction' or rows_.corrects_record_id is not null then 1 else 0 end" if additive else '0' }}
      as is_correction
  from {{ ref('current_costs') }} as rows_
  left join {{ ref('ai_billing__provider_costs') }} as said
    on rows_.reading_id = said.reading_id and rows_.record_id = said.record_id
  where rows_.charge_category = 'Usage' and rows_.is_counted
),

cost_sums as (
  select
    {{ (sources + labels) | join(', ') }}, usage_type, billing_currency,
    sum(effective_cost) as effective_cost,
    sum(case when is_correction = 1 then effective_cost else {{ ai_billing.zero() }} end) as correction_cost,
    sum(case when is_correction = 0 then list_cost end) as list_cost,
    sum(case when is_correction = 0 and list_cost is null then 1 else 0 end) as unlisted,
    sum(1 - is_correction) as charges,
    max(is_token_kind) as is_token_kind,
    max(day_status) as status
  from costs
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

-- OpenAI's usage names services that its costs do not name. Names are made distinct before they are joined: a service has most rows.
services as (
  select distinct usage_names.source_
  from (select distinct source_, service_name from usage_rows) as usage_names
  inner join (select distinct source_, service_name from cost_rows) as cost_names
    on usage_names.source_ = cost_names.source_ and usage_names.service_name = cost_names.service_name
),

sources as (
  select distinct source_, account, base_url, service_provider_name
  from (
    select source_, account, base_url, service_provider_name from usage_rows
    union all
    select source_, account, base_url, service_provider_name from cost_rows
  ) as both_
),

shared as (
  select
    carried.source_,
    max(case when services.source_ is not null then 1 else 0 end) as service_name
    {%- for label in labels if label != 'service_name' %},
    min(carried.{{ label }}) as {{ label }}
    {%- endfor %}
  from carried
  left join services on carried.source_ = services.source_
  group by carried.source_
  having count(*) = 2
),

quantities as (
  select
    rows_.source_,
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
    rows_.day,
    {%- for label in labels %}
    case when shared.{{ label }} = 1 then rows_.{{ label }} end as {{ label }},
    {%- endfor %}
    rows_.usage_type,
    rows_.billing_currency,
    {%- for name in measures %}
    sum(rows_.{{ name }}) as {{ name }},
    {%- endfor %}
    max(rows_.is_token_kind) as is_token_kind,
    max(rows_.status) as status
  from cost_rows as rows_
  left join shared on rows_.source_ = shared.source_
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
    {%- for name in ['source_', 'day'] + labels + ['usage_type'] %}
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
  from keyed_units as units
  full outer join keyed_effective as effective on units.join_key = effective.join_key
)

select
  priced.day,
  sources.account,
  sources.base_url,
  sources.service_provider_name,
  {%- for label in labels %}
  priced.{{ label }},
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
inner join sources on priced.source_ = sources.source_
