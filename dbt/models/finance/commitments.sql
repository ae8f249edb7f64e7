-- Commitments by month of charge period: what was paid for, used and lost, from the costs that name one (columns of FOCUS that the
-- interface does not name, ai_billing__provider_costs). The effective cost of a commitment stands in charges that used it and in charges
-- for what nobody used; a purchase is billed, and its effective cost is 0.
{%- set keys = ['month', 'account', 'base_url', 'service_provider_name', 'commitment_id', 'billing_currency'] %}
{%- set used, lost = "commitment_status = 'Used'", "commitment_status = 'Unused'" %}
with charges as (
  select
    {{ ai_billing.month_of('rows_.day') }} as month,
    {%- for name in keys[1:4] + keys[5:] + ['charge_category', 'billed_cost', 'effective_cost', 'cost_status', 'day_status'] %}
    rows_.{{ name }},
    {%- endfor %}
    {%- for name in ['id', 'name', 'category', 'type', 'status', 'unit', 'quantity'] %}
    said.commitment_{{ name }}{{ ',' if not loop.last }}
    {%- endfor %}
  from {{ ref('current_costs') }} as rows_
  inner join {{ ref('ai_billing__provider_costs') }} as said
    on rows_.reading_id = said.reading_id and rows_.record_id = said.record_id
  where rows_.is_counted and said.commitment_id is not null
),

summed as (
  select
    {{ keys | join(', ') }},
    {%- for name in ['name', 'category', 'type'] %}
    max(commitment_{{ name }}) as commitment_{{ name }},
    {%- endfor %}
    sum(case when charge_category = 'Purchase' then billed_cost else {{ ai_billing.zero() }} end) as purchased_cost,
    sum(case when {{ used }} then effective_cost else {{ ai_billing.zero() }} end) as used_cost,
    sum(case when {{ lost }} then effective_cost else {{ ai_billing.zero() }} end) as lost_cost,
    sum(case when {{ used }} then commitment_quantity end) as used_quantity,
    sum(case when {{ lost }} then commitment_quantity end) as lost_quantity,
    count(case when {{ used }} or {{ lost }} then 1 end) as judged,
    -- Quantities of several units have no sum.
    case when min(commitment_unit) = max(commitment_unit) then max(commitment_unit) end as commitment_unit,
    sum(case when cost_status = 'provisional' then 1 else 0 end) as records_provisional,
    {{ ai_billing.worst_of('day_status') }} as day_status
  from charges
  group by {{ keys | join(', ') }}
)

select
  {{ keys | join(',\n  ') }},
  commitment_name,
  commitment_category,
  commitment_type,
  purchased_cost,
  case when judged > 0 then used_cost + lost_cost end as committed_cost,
  case when judged > 0 then used_cost end as used_cost,
  case when judged > 0 then lost_cost end as lost_cost,
  {{ ai_billing.ratio('used_cost', '(used_cost + lost_cost)') }} as used_share,
  case when commitment_unit is not null then used_quantity end as used_quantity,
  case when commitment_unit is not null then lost_quantity end as lost_quantity,
  commitment_unit,
  records_provisional,
  day_status
from summed
