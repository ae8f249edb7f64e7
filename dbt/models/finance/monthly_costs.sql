-- Costs by month of charge period, beside the month before, with a forecast of the running month.
{%- set labels = ['service_provider_name', 'model_id', 'project_id', 'workspace_id', 'api_key_id', 'billing_currency'] %}
{{ ai_billing.months_of(ref('ai_billing__owned_costs'), labels) }}
