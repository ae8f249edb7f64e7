-- Every change of a record from one reading to the next, with its time and amount. The list is complete for tables in append mode;
-- deduplicated tables do not keep older versions.
{%- set carried = ai_billing.whose_columns() + ['billing_currency', 'consumed_unit'] %}
{%- set amounts = ['consumed_quantity', 'billed_cost', 'effective_cost'] %}
with versions as (
  {%- for dataset in ['usage', 'costs'] %}
  select
    '{{ dataset }}' as dataset, place, account, base_url, record_id, reading_id, extracted_at, content_hash,
    record_updated_at, day, charge_period_start,
    {%- for name in carried + amounts + ['cost_status'] %}
    {{ ai_billing.column_or_null(dataset, name) }}{{ ',' if not loop.last }}
    {%- endfor %}
  from {{ ai_billing.several_versions(dataset) }} as placed
  {{ 'union all' if not loop.last }}
  {%- endfor %}
),

pairs as (
  select
    versions.*,
    {%- for column in ['content_hash', 'record_updated_at', 'day', 'charge_period_start', 'cost_status'] + amounts %}
    lag({{ column }}) over (
      partition by dataset, place, record_id order by reading_id, extracted_at, record_updated_at, content_hash
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
  {%- for name in carried %}
  {{ name }},
  {%- endfor %}
  {%- for amount in amounts %}
  {{ amount }}_before,
  {{ amount }},
  {{ amount }} - {{ amount }}_before as {{ amount }}_change{{ ',' if not loop.last }}
  {%- endfor %}
from pairs
left join readings on pairs.dataset = readings.dataset and pairs.reading_id = readings.reading_id
where content_hash <> content_hash_before
