-- The total of each invoice. Rows that contradict each other are not used: see invalid_inputs.
select invoice_issuer_name, invoice_id, billing_currency, max(billed_total) as billed_total
from (
  select
    invoice_issuer_name, invoice_id, billing_currency,
    {{ ai_billing.to_decimal('given.billed_total') }} as billed_total
  from (
    {{ ai_billing.input_rows('invoice_totals') }}
  ) as given
) as typed
where invoice_issuer_name is not null and invoice_id is not null and billing_currency is not null
  and billed_total is not null
group by invoice_issuer_name, invoice_id, billing_currency
having min(billed_total) = max(billed_total)
