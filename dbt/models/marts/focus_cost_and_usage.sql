-- Costs in the shape of the FOCUS 1.4 dataset "Cost and Usage". It is no conformant dataset: README.md lists where it
-- deviates and why. Columns that the interface lacks are null; nothing is made up but the subcategory, which is marked.
{%- set type_decimal = ai_billing.type_decimal() %}
{%- set missing_text = ['HostProviderName', 'PricingUnit', 'SkuPriceId', 'InvoiceDetailId', 'ConsumedUnit'] %}
{%- set missing_decimal = ['ContractedCost', 'ListCost', 'PricingQuantity', 'ConsumedQuantity'] %}
{%- set columns = [
  ['account', 'BillingAccountId'],
  ['account', 'BillingAccountName'],
  ['billed_cost', 'BilledCost'],
  ['effective_cost', 'EffectiveCost'],
  ['billing_currency', 'BillingCurrency'],
  ['billing_period_start', 'BillingPeriodStart'],
  ['billing_period_end', 'BillingPeriodEnd'],
  ['charge_category', 'ChargeCategory'],
  ["case when charge_class = 'Correction' then charge_class end", 'ChargeClass'],
  ["nullif(charge_description, '')", 'ChargeDescription'],
  ['charge_period_start', 'ChargePeriodStart'],
  ['charge_period_end', 'ChargePeriodEnd'],
  ['invoice_id', 'InvoiceId'],
  ['invoice_issuer_name', 'InvoiceIssuerName'],
  ['pricing_currency', 'PricingCurrency'],
  ['service_provider_name', 'ServiceProviderName'],
  ['service_category', 'ServiceCategory'],
  ["coalesce(service_subcategory, 'Other (AI and Machine Learning)')", 'ServiceSubcategory'],
  ['service_name', 'ServiceName'],
  ['sku_id', 'SkuId'],
  ['sku_meter', 'SkuMeter'],
  ['pricing_currency_billed_cost', 'x_PricingCurrencyBilledCost'],
  ['service_subcategory is null', 'x_IsServiceSubcategoryFilled'],
  ["case when charge_class <> 'Correction' then charge_class end", 'x_OtherChargeClass'],
  ['record_id', 'x_RecordId'],
  ['record_updated_at', 'x_RecordUpdatedAt'],
  ['cost_status', 'x_CostStatus'],
  ['corrects_record_id', 'x_CorrectsRecordId'],
  ['usage_type', 'x_UsageType'],
  ['model_id', 'x_ModelId'],
  ['project_id', 'x_ProjectId'],
  ['workspace_id', 'x_WorkspaceId'],
  ['api_key_id', 'x_ApiKeyId'],
  ['service_tier', 'x_ServiceTier'],
  ['workload_type', 'x_WorkloadType'],
  ['upstream_provider', 'x_UpstreamProvider'],
  ['day_status', 'x_DayStatus'],
] %}
select
  {%- for expression, name in columns %}
  {{ expression }} as {{ adapter.quote(name) }},
  {%- endfor %}
  {%- for name in missing_text %}
  cast(null as {{ dbt.type_string() }}) as {{ adapter.quote(name) }},
  {%- endfor %}
  {%- for name in missing_decimal %}
  cast(null as {{ type_decimal }}) as {{ adapter.quote(name) }}{{ ',' if not loop.last }}
  {%- endfor %}
from {{ ref('current_costs') }}
where is_counted
