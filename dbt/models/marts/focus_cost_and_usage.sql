-- Costs in the shape of the FOCUS 1.4 dataset "Cost and Usage", and the columns that FOCUS 1.2 demands beside it. It is no
-- conformant dataset: README.md lists the deviations and the reasons. A column that the interface lacks is null. Only two values are
-- filled in, and both are marked: a missing subcategory, and the frequency of charges other than usage.
{%- set text = dbt.type_string() %}
{%- set missing_text = ['CommitmentDiscountStatus', 'HostProviderName', 'InvoiceDetailId', 'PricingUnit', 'SkuPriceId'] %}
{%- set missing_decimal = ['ContractedCost', 'ListCost', 'PricingQuantity'] %}
{%- set measured_by = ['day', 'account', 'base_url', 'service_provider_name', 'service_name']
  + ai_billing.labels('both') + ['usage_type'] %}
{%- set sub_account = 'coalesce(costs.project_id, costs.workspace_id)' %}
{%- set columns = [
  ['coalesce(costs.account, costs.base_url)', 'BillingAccountId'],
  ['coalesce(costs.account, costs.base_url)', 'BillingAccountName'],
  ['costs.billed_cost', 'BilledCost'],
  ['costs.effective_cost', 'EffectiveCost'],
  ['costs.billing_currency', 'BillingCurrency'],
  ['costs.billing_period_start', 'BillingPeriodStart'],
  ['costs.billing_period_end', 'BillingPeriodEnd'],
  ['costs.charge_category', 'ChargeCategory'],
  ["case when costs.charge_class = 'Correction' then costs.charge_class end", 'ChargeClass'],
  ["nullif(costs.charge_description, '')", 'ChargeDescription'],
  ["case when costs.charge_category = 'Usage' then 'Usage-Based' when costs.charge_category = 'Purchase'"
    ~ " and costs.charge_period_end > " ~ ai_billing.midnight('costs.day', 1) ~ " then 'Recurring' else 'One-Time' end",
    'ChargeFrequency'],
  ['costs.charge_period_start', 'ChargePeriodStart'],
  ['costs.charge_period_end', 'ChargePeriodEnd'],
  ['measured.quantity', 'ConsumedQuantity'],
  ['measured.unit', 'ConsumedUnit'],
  ['costs.invoice_id', 'InvoiceId'],
  ['costs.invoice_issuer_name', 'InvoiceIssuerName'],
  ['costs.pricing_currency', 'PricingCurrency'],
  ['costs.service_provider_name', 'ProviderName'],
  ['costs.service_provider_name', 'PublisherName'],
  ['costs.service_provider_name', 'ServiceProviderName'],
  ['costs.service_category', 'ServiceCategory'],
  ["coalesce(costs.service_subcategory, 'Other (AI and Machine Learning)')", 'ServiceSubcategory'],
  ['costs.service_name', 'ServiceName'],
  ['costs.sku_id', 'SkuId'],
  ['costs.sku_meter', 'SkuMeter'],
  [sub_account, 'SubAccountId'],
  [sub_account, 'SubAccountName'],
  ["case when costs.project_id is not null then 'Project' when costs.workspace_id is not null then 'Workspace' end",
    'SubAccountType'],
  [ai_billing.json_object({'x_project': 'costs.project_id', 'x_workspace': 'costs.workspace_id'}), 'Tags'],
] %}
{%- set own_columns = [
  ['costs.pricing_currency_billed_cost', 'x_PricingCurrencyBilledCost'],
  ['costs.service_subcategory is null', 'x_IsServiceSubcategoryFilled'],
  ["costs.charge_category <> 'Usage'", 'x_IsChargeFrequencyFilled'],
  ["case when costs.charge_class <> 'Correction' then costs.charge_class end", 'x_OtherChargeClass'],
  ['costs.record_id', 'x_RecordId'],
  ['costs.record_updated_at', 'x_RecordUpdatedAt'],
  ['costs.cost_status', 'x_CostStatus'],
  ['costs.corrects_record_id', 'x_CorrectsRecordId'],
  ['costs.usage_type', 'x_UsageType'],
] %}
{%- for raw_name, name, kind in ai_billing.record_columns('costs') if name in ai_billing.labels('costs') %}
  {%- do own_columns.append(['costs.' ~ name, raw_name]) %}
{%- endfor %}
{%- do own_columns.append(['costs.day_status', 'x_DayStatus']) %}
with costs as {{ ai_billing.inlined() }}(
  select
    current_.*,
    -- A number and not a boolean, so that it can stand in the key of a join.
    case when charge_category = 'Usage' and usage_type is not null and charge_period_end <= {{ ai_billing.midnight('day', 1) }}
      then 1 end as is_measured
  from {{ ref('current_costs') }} as current_
  where is_counted
),

-- If several costs have the same labels, no usage can be assigned to one of them.
single as (
  select {{ measured_by | join(', ') }}
  from costs
  where is_measured = 1
  group by {{ measured_by | join(', ') }}
  having count(*) = 1
),

-- The usage of a day with the same labels and usage type. If it has several units, it is left out: they do not add up.
consumed as (
  select {{ measured_by | join(', ') }}, min(consumed_unit) as unit, sum(consumed_quantity) as quantity
  from {{ ref('current_usage') }}
  group by {{ measured_by | join(', ') }}
  having min(consumed_unit) = max(consumed_unit)
),

measured as (
  select consumed.*, 1 as is_measured
  from consumed
  inner join single on {{ ai_billing.same_values(measured_by, 'consumed', 'single') }}
)

select
  {%- for expression, name in columns %}
  {{ expression }} as {{ adapter.quote(name) }},
  {%- endfor %}
  {%- for name in missing_text %}
  cast(null as {{ text }}) as {{ adapter.quote(name) }},
  {%- endfor %}
  {%- for name in missing_decimal %}
  cast(null as {{ ai_billing.type_decimal() }}) as {{ adapter.quote(name) }},
  {%- endfor %}
  {%- for expression, name in own_columns %}
  {{ expression }} as {{ adapter.quote(name) }}{{ ',' if not loop.last }}
  {%- endfor %}
from costs
left join measured on {{ ai_billing.same_values(measured_by + ['is_measured'], 'costs', 'measured') }}
