-- What was incurred, by day of charge period. Billed and effective cost tell the same money in two ways: never add them.
{%- set grain = ['day', 'account', 'base_url', 'service_provider_name', 'service_name', 'model_id', 'project_id',
  'workspace_id', 'api_key_id', 'service_tier', 'upstream_provider', 'charge_category', 'cost_status', 'billing_currency'] %}
select
  {{ grain | join(',\n  ') }},
  sum(billed_cost) as billed_cost,
  sum(effective_cost) as effective_cost,
  count(*) as records,
  max(day_status) as day_status
from {{ ref('current_costs') }}
where is_counted
group by {{ grain | join(', ') }}
