-- What was billed, by billing period and invoice: corrections of closed periods count where they are billed. The totals
-- of real invoices, where there are some, are those of the whole invoice.
{%- set totals = var('ai_billing_invoice_totals') %}
with billed as (
  select
    account, base_url, billing_period_start, billing_period_end, invoice_issuer_name, invoice_id, billing_currency,
    cost_status,
    sum(billed_cost) as billed_cost,
    count(*) as records,
    sum(case when day_status = 'proven' then 0 else 1 end) as records_not_proven
  from {{ ref('current_costs') }}
  where is_counted
  group by
    account, base_url, billing_period_start, billing_period_end, invoice_issuer_name, invoice_id, billing_currency,
    cost_status
),

with_invoice as (
  select
    billed.*,
    case when invoice_id is not null then
      sum(billed_cost) over (partition by account, base_url, invoice_issuer_name, invoice_id, billing_currency)
    end as invoice_billed_cost
  from billed
)

select
  with_invoice.*,
{%- if totals %}
  {{ ai_billing.to_decimal('totals.billed_total') }} as invoice_total,
  invoice_billed_cost - {{ ai_billing.to_decimal('totals.billed_total') }} as variance
from with_invoice
left join {{ ref(totals) }} as totals
  on with_invoice.invoice_issuer_name = totals.invoice_issuer_name
  and with_invoice.invoice_id = {{ ai_billing.as_text('totals.invoice_id') }}
  and with_invoice.billing_currency = totals.billing_currency
{%- else %}
  cast(null as {{ ai_billing.type_decimal() }}) as invoice_total,
  cast(null as {{ ai_billing.type_decimal() }}) as variance
from with_invoice
{%- endif %}
