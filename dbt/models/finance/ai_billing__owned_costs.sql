-- The costs that count, each with its team on its day.
{%- set carried = ['record_id', 'account', 'base_url', 'day', 'charge_period_end', 'service_provider_name', 'sku_id', 'model_id', 'project_id',
  'workspace_id', 'api_key_id', 'charge_category', 'cost_status', 'billing_currency', 'billed_cost', 'effective_cost', 'day_status'] %}
select
  {%- for name in carried %}
  rows_.{{ name }},
  {%- endfor %}
  rows_.team,
  rows_.allocated_by
from (
  {{ ai_billing.with_team(ref('current_costs')) }}
) as rows_
where rows_.is_counted
