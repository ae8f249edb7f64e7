{# Made by `npm run generate` from schemas/. Do not edit. #}

{# The columns of the interface's records (interface sections 2.4 to 2.6), their names in these models, and their kinds. #}
{% macro record_columns(dataset) %}
  {{ return({
    'usage': [
      ['x_RecordId', 'record_id', 'text'],
      ['x_RecordUpdatedAt', 'record_updated_at', 'instant'],
      ['x_Granularity', 'granularity', 'text'],
      ['ChargePeriodStart', 'charge_period_start', 'instant'],
      ['ChargePeriodEnd', 'charge_period_end', 'instant'],
      ['ServiceProviderName', 'service_provider_name', 'text'],
      ['ServiceCategory', 'service_category', 'text'],
      ['ServiceSubcategory', 'service_subcategory', 'text'],
      ['ServiceName', 'service_name', 'text'],
      ['SkuId', 'sku_id', 'text'],
      ['SkuMeter', 'sku_meter', 'text'],
      ['x_ModelId', 'model_id', 'text'],
      ['x_ProjectId', 'project_id', 'text'],
      ['x_WorkspaceId', 'workspace_id', 'text'],
      ['x_ApiKeyId', 'api_key_id', 'text'],
      ['x_ServiceTier', 'service_tier', 'text'],
      ['x_WorkloadType', 'workload_type', 'text'],
      ['x_UpstreamProvider', 'upstream_provider', 'text'],
      ['x_UsageType', 'usage_type', 'text'],
      ['ConsumedQuantity', 'consumed_quantity', 'decimal'],
      ['ConsumedUnit', 'consumed_unit', 'text'],
    ],
    'costs': [
      ['x_RecordId', 'record_id', 'text'],
      ['x_RecordUpdatedAt', 'record_updated_at', 'instant'],
      ['x_Granularity', 'granularity', 'text'],
      ['ChargePeriodStart', 'charge_period_start', 'instant'],
      ['ChargePeriodEnd', 'charge_period_end', 'instant'],
      ['ServiceProviderName', 'service_provider_name', 'text'],
      ['ServiceCategory', 'service_category', 'text'],
      ['ServiceSubcategory', 'service_subcategory', 'text'],
      ['ServiceName', 'service_name', 'text'],
      ['SkuId', 'sku_id', 'text'],
      ['SkuMeter', 'sku_meter', 'text'],
      ['x_ModelId', 'model_id', 'text'],
      ['x_ProjectId', 'project_id', 'text'],
      ['x_WorkspaceId', 'workspace_id', 'text'],
      ['x_ApiKeyId', 'api_key_id', 'text'],
      ['x_ServiceTier', 'service_tier', 'text'],
      ['x_WorkloadType', 'workload_type', 'text'],
      ['x_UpstreamProvider', 'upstream_provider', 'text'],
      ['x_UsageType', 'usage_type', 'text'],
      ['BillingPeriodStart', 'billing_period_start', 'instant'],
      ['BillingPeriodEnd', 'billing_period_end', 'instant'],
      ['InvoiceIssuerName', 'invoice_issuer_name', 'text'],
      ['InvoiceId', 'invoice_id', 'text'],
      ['ChargeCategory', 'charge_category', 'text'],
      ['ChargeClass', 'charge_class', 'text'],
      ['ChargeDescription', 'charge_description', 'text'],
      ['BillingCurrency', 'billing_currency', 'text'],
      ['BilledCost', 'billed_cost', 'decimal'],
      ['EffectiveCost', 'effective_cost', 'decimal'],
      ['PricingCurrency', 'pricing_currency', 'text'],
      ['PricingCurrencyBilledCost', 'pricing_currency_billed_cost', 'decimal'],
      ['x_CostStatus', 'cost_status', 'text'],
      ['x_CorrectsRecordId', 'corrects_record_id', 'text'],
    ],
  }[dataset]) }}
{% endmacro %}

{# The columns that hold a dimension of capabilities: in usage, in costs, or in both; `prices`: those of both that make a price of its own. #}
{% macro labels(where) %}
  {{ return({
    'usage': [
      'model_id',
      'project_id',
      'workspace_id',
      'api_key_id',
      'service_tier',
      'workload_type',
      'upstream_provider',
    ],
    'costs': [
      'model_id',
      'project_id',
      'workspace_id',
      'api_key_id',
      'service_tier',
      'workload_type',
      'upstream_provider',
    ],
    'both': [
      'model_id',
      'project_id',
      'workspace_id',
      'api_key_id',
      'service_tier',
      'workload_type',
      'upstream_provider',
    ],
    'prices': [
      'model_id',
      'service_tier',
      'workload_type',
      'upstream_provider',
    ],
  }[where]) }}
{% endmacro %}

{# The columns without which a record cannot be counted. An empty value in another column is no fault. #}
{% macro required_columns(dataset) %}
  {{ return({
    'usage': [
      'record_updated_at',
      'charge_period_start',
      'charge_period_end',
      'consumed_quantity',
    ],
    'costs': [
      'record_updated_at',
      'charge_period_start',
      'charge_period_end',
      'billing_period_start',
      'billing_period_end',
      'billed_cost',
      'effective_cost',
    ],
  }[dataset]) }}
{% endmacro %}
