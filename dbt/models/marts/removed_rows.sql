-- Rows that the tables still hold and the provider no longer shows. Each has the reading that first found it missing, and the record
-- that replaced it, if there is one.
{%- set carried = ai_billing.whose_columns() + ['billing_currency', 'consumed_unit', 'consumed_quantity', 'billed_cost',
  'effective_cost'] %}
with removed as (
  {%- for dataset in ['usage', 'costs'] %}
  select
    '{{ dataset }}' as dataset, scope, account, base_url, day, record_id, record_updated_at,
    {%- for name in carried %}
    {{ ai_billing.column_or_null(dataset, name) }},
    {%- endfor %}
    reading_id, judge_reading_id, replaced_by_record_id
  from {{ ref('ai_billing__removed_' ~ dataset) }}
  {{ 'union all' if not loop.last }}
  {%- endfor %}
),

reports as (
  select dataset, place, reading_id, rows_reading_id, day, began_at from {{ ref('ai_billing__manifest') }}
),

readings as (
  select dataset, reading_id, max(began_at) as began_at from reports group by dataset, reading_id
),

-- The last reading that still confirmed the row.
last_seen as (
  select dataset, rows_reading_id, day, max(reading_id) as reading_id, max(began_at) as began_at
  from reports
  group by dataset, rows_reading_id, day
)

select
  removed.dataset, removed.account, removed.base_url, removed.day, removed.record_id, removed.record_updated_at,
  {%- for name in carried %}
  removed.{{ name }},
  {%- endfor %}
  removed.replaced_by_record_id,
  coalesce(last_seen.reading_id, removed.reading_id) as last_reading_id,
  removed.judge_reading_id as removed_by_reading_id,
  last_seen.began_at as last_seen_at,
  judge.began_at as found_missing_at
from removed
left join last_seen
  on removed.dataset = last_seen.dataset
  and removed.reading_id = last_seen.rows_reading_id
  and removed.day = last_seen.day
left join readings as judge on removed.dataset = judge.dataset and removed.judge_reading_id = judge.reading_id
