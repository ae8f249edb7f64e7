-- Every change of a record from one reading to the next: what, when, by how much. Complete where tables are in append
-- mode; in dedup mode they forget.
{%- set sides = {'usage': ['consumed_quantity'], 'costs': ['billed_cost', 'effective_cost']} %}
{%- set amounts = ['consumed_quantity', 'billed_cost', 'effective_cost'] %}
with versions as (
  {%- for dataset, own in sides.items() %}
  select
    '{{ dataset }}' as dataset, scope, account, base_url, record_id, reading_id, extracted_at, content_hash,
    record_updated_at, day, charge_period_start,
    {%- for amount in amounts %}
    {{ amount if amount in own else 'cast(null as ' ~ ai_billing.type_decimal() ~ ')' }} as {{ amount }},
    {%- endfor %}
    {{ 'cost_status' if dataset == 'costs' else 'cast(null as ' ~ dbt.type_string() ~ ')' }} as cost_status,
    {{ 'billing_currency' if dataset == 'costs' else 'cast(null as ' ~ dbt.type_string() ~ ')' }} as billing_currency,
    {{ 'consumed_unit' if dataset == 'usage' else 'cast(null as ' ~ dbt.type_string() ~ ')' }} as consumed_unit
  from {{ ref('ai_billing__rows_' ~ dataset) }}
  {{ 'union all' if not loop.last }}
  {%- endfor %}
),

pairs as (
  select
    versions.*,
    {%- for column in ['content_hash', 'record_updated_at', 'day', 'charge_period_start', 'cost_status'] + amounts %}
    lag({{ column }}) over (
      partition by dataset, scope, record_id order by reading_id, extracted_at, record_updated_at, content_hash
    ) as {{ column }}_before{{ ',' if not loop.last }}
    {%- endfor %}
  from versions
),

readings as (
  select dataset, reading_id, max(began_at) as began_at
  from {{ ref('ai_billing__manifest') }}
  group by dataset, reading_id
)

select
  pairs.dataset,
  pairs.account,
  pairs.base_url,
  pairs.record_id,
  pairs.reading_id,
  coalesce(readings.began_at, pairs.extracted_at) as seen_at,
  case
    when charge_period_start <> charge_period_start_before then 'moved'
    when {% for amount in amounts %}coalesce({{ amount }} <> {{ amount }}_before, false){{ ' or ' if not loop.last }}{% endfor %} then 'amount'
    when cost_status <> cost_status_before then 'status'
    else 'other'
  end as what,
  day_before,
  day,
  record_updated_at_before,
  record_updated_at,
  record_updated_at < record_updated_at_before as went_back,
  cost_status_before,
  cost_status,
  billing_currency,
  consumed_unit,
  {%- for amount in amounts %}
  {{ amount }}_before,
  {{ amount }},
  {{ amount }} - {{ amount }}_before as {{ amount }}_change{{ ',' if not loop.last }}
  {%- endfor %}
from pairs
left join readings on pairs.dataset = readings.dataset and pairs.reading_id = readings.reading_id
where content_hash <> content_hash_before
