{# The columns of the interface's records (interface sections 2.4 to 2.6), the names they get here, and their kinds. #}

{% macro record_columns(dataset) %}
  {%- set common = [
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
  ] -%}
  {%- set usage = [
    ['ConsumedQuantity', 'consumed_quantity', 'decimal'],
    ['ConsumedUnit', 'consumed_unit', 'text'],
  ] -%}
  {%- set costs = [
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
  ] -%}
  {{ return(common + (usage if dataset == 'usage' else costs)) }}
{% endmacro %}

{# Columns that a record needs to be counted; an empty value in another column is no fault. #}
{% macro required_columns(dataset) %}
  {{ return(['record_updated_at', 'charge_period_start', 'charge_period_end'] + (
    ['consumed_quantity'] if dataset == 'usage'
    else ['billing_period_start', 'billing_period_end', 'billed_cost', 'effective_cost'])) }}
{% endmacro %}

{# The names here of a record's columns. #}
{% macro column_names(dataset) %}
  {{ return(ai_billing.record_columns(dataset) | map(attribute=1) | list) }}
{% endmacro %}

{# The columns that have to be cast, and so may fail to be. #}
{% macro cast_columns(dataset) %}
  {{ return(ai_billing.record_columns(dataset) | rejectattr(2, 'equalto', 'text') | list) }}
{% endmacro %}
