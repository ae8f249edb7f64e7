-- Compares the rows that stand for each day with the control totals of its deciding reading.
{%- for dataset in ['usage', 'costs'] %}
select
  sums.dataset, decided.account, decided.base_url, sums.day, sums.reading_id, sums.measure,
  sums.currency, sums.charge_category, sums.cost_status, sums.usage_type, sums.unit,
  sums.current_records, sums.reading_records, sums.current_amount, sums.reading_amount, sums.difference,
  decided.status = 'proven' as is_proven,
  sums.is_reconciled
from {{ ref('ai_billing__sums_' ~ dataset) }} as sums
inner join {{ ref('ai_billing__completeness_' ~ dataset) }} as decided
  on sums.scope = decided.scope and sums.day = decided.day
{{ 'union all' if not loop.last }}
{%- endfor %}
