-- What the tables still hold and the provider no longer shows, and the reading that said so.
{%- set sides = {'usage': ['consumed_quantity'], 'costs': ['billed_cost', 'effective_cost']} %}
with removed as (
  {%- for dataset, own in sides.items() %}
  select
    '{{ dataset }}' as dataset, account, base_url, day, record_id, record_updated_at,
    {{ 'billing_currency' if dataset == 'costs' else 'cast(null as ' ~ dbt.type_string() ~ ')' }} as billing_currency,
    {%- for amount in ['consumed_quantity', 'billed_cost', 'effective_cost'] %}
    {{ amount if amount in own else 'cast(null as ' ~ ai_billing.type_decimal() ~ ')' }} as {{ amount }},
    {%- endfor %}
    reading_id as last_reading_id,
    judge_reading_id as removed_by_reading_id
  from {{ ref('ai_billing__judged_' ~ dataset) }}
  where judge_reading_id is not null
  {{ 'union all' if not loop.last }}
  {%- endfor %}
),

readings as (
  select dataset, reading_id, max(began_at) as began_at
  from {{ ref('ai_billing__manifest') }}
  group by dataset, reading_id
)

select removed.*, last_.began_at as last_seen_at, judge.began_at as found_missing_at
from removed
left join readings as last_ on removed.dataset = last_.dataset and removed.last_reading_id = last_.reading_id
left join readings as judge on removed.dataset = judge.dataset and removed.removed_by_reading_id = judge.reading_id
