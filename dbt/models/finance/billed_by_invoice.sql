-- Billed costs by billing period and invoice, beside the totals of the real invoices. A correction of a closed period counts in the
-- period that bills it. An invoice without costs has a row, too. A total is that of the whole invoice, which may cover several
-- accounts. Costs have more digits than an invoice: they match if the smallest unit of the currency is the same, either of their sum
-- or of the sum of the costs that are rounded one by one. Halves are rounded away from zero.
with billed as (
  select
    account, base_url, billing_period_start, billing_period_end, invoice_issuer_name, invoice_id, billing_currency,
    cost_status,
    sum(billed_cost) as billed_cost,
    sum({{ ai_billing.in_smallest_unit('billed_cost', 'billing_currency') }}) as billed_by_line,
    count(*) as records,
    sum(case when day_status = 'proven' then 0 else 1 end) as records_not_proven
  from {{ ref('current_costs') }}
  where is_counted
  group by
    account, base_url, billing_period_start, billing_period_end, invoice_issuer_name, invoice_id, billing_currency,
    cost_status
),

reached as (
  select place, max(through_day) as through_day from {{ ref('ai_billing__calendar_costs') }} group by place
),

-- No invoice is due while costs are provisional, or before the last day of their billing period was read.
due as (
  select
    billed.*,
    case
      when billed.cost_status = 'provisional' then 1
      when billed.billing_period_end <= {{ ai_billing.midnight('reached.through_day', 1) }} then 0
      else 1
    end as is_open
  from billed
  left join reached on {{ ai_billing.place_of('billed.base_url', 'billed.account') }} = reached.place
),

-- Costs that name no invoice have no sum together. But while one such cost of an account and a billing period is open, the others of
-- the same account and period are open too, because the invoice that will name them may not be issued yet.
with_invoice as (
  select
    due.*,
    case when invoice_id is not null then
      sum(billed_cost) over (partition by invoice_issuer_name, invoice_id, billing_currency)
    end as invoice_billed_cost,
    sum(billed_by_line) over (partition by invoice_issuer_name, invoice_id, billing_currency) as invoice_billed_by_line,
    case when invoice_id is null then
      sum(billed_cost) over (
        partition by base_url, account, invoice_issuer_name, billing_period_start, billing_period_end, billing_currency, invoice_id
      )
    end as unnamed_billed_cost,
    case when invoice_id is null then
      max(is_open) over (
        partition by base_url, account, invoice_issuer_name, billing_period_start, billing_period_end, billing_currency, invoice_id
      )
    else
      max(is_open) over (partition by invoice_issuer_name, invoice_id, billing_currency)
    end as has_open
  from due
),

totals as (
  select * from {{ ref('ai_billing__invoice_totals') }}
),

-- An invoice can be missing only if the input has totals of its issuer.
issuers as (
  select distinct invoice_issuer_name from totals
),

joined as (
  select
    with_invoice.account, with_invoice.base_url, with_invoice.billing_period_start, with_invoice.billing_period_end,
    coalesce(with_invoice.invoice_issuer_name, totals.invoice_issuer_name) as invoice_issuer_name,
    coalesce(with_invoice.invoice_id, totals.invoice_id) as invoice_id,
    coalesce(with_invoice.billing_currency, totals.billing_currency) as billing_currency,
    with_invoice.cost_status,
    coalesce(with_invoice.billed_cost, 0) as billed_cost,
    coalesce(with_invoice.records, 0) as records,
    coalesce(with_invoice.records_not_proven, 0) as records_not_proven,
    case when with_invoice.records is null then 0 else with_invoice.invoice_billed_cost end as invoice_billed_cost,
    with_invoice.invoice_billed_by_line,
    with_invoice.has_open,
    with_invoice.unnamed_billed_cost is not null
      and {{ ai_billing.in_smallest_unit('with_invoice.unnamed_billed_cost', 'with_invoice.billing_currency') }} = 0 as needs_none,
    totals.billed_total as invoice_total,
    case
      when with_invoice.invoice_billed_cost = totals.billed_total then 'exact'
      when {{ ai_billing.in_smallest_unit('with_invoice.invoice_billed_cost', 'with_invoice.billing_currency') }} = totals.billed_total
        then 'total'
      when with_invoice.invoice_billed_by_line = totals.billed_total then 'lines'
    end as matched_by
  from with_invoice
  full outer join totals
    on with_invoice.invoice_issuer_name = totals.invoice_issuer_name
    and with_invoice.invoice_id = totals.invoice_id
    and with_invoice.billing_currency = totals.billing_currency
)

select
  account, base_url, billing_period_start, billing_period_end, joined.invoice_issuer_name, invoice_id, billing_currency, cost_status,
  billed_cost, records, records_not_proven, invoice_billed_cost, invoice_total,
  invoice_billed_cost - invoice_total as variance,
  matched_by,
  case
    when matched_by is not null then 'matched'
    when invoice_total is not null then 'different'
    when has_open = 1 then 'open'
    when issuers.invoice_issuer_name is not null and not needs_none then 'missing'
  end as invoice_state,
  case
    when records = 0 then 'invoice without costs'
    when invoice_total is not null and matched_by is null then 'total differs'
    when invoice_total is null and has_open = 0 and issuers.invoice_issuer_name is not null and not needs_none
      then 'costs without invoice'
  end as finding
from joined
left join issuers on joined.invoice_issuer_name = issuers.invoice_issuer_name
