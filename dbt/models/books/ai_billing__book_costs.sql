{{ config(materialized='view') }}
-- The costs of each month that is compared with the books, once for each view in which the month is compared.
{%- set carried = ai_billing.record_owners() + ['record_id', 'corrects_record_id', 'day', 'cost_status', 'day_status', 'extracted_at',
  'billed_cost'] %}
with viewed as (
  select 'month' as book_view, {{ ai_billing.month_of('day') }} as month, {{ carried | join(', ') }}
  from {{ ref('current_costs') }}
  where is_counted
  union all
  select
    'billing-period', {{ ai_billing.month_of('cast(billing_period_start as date)') }}, {{ carried | join(', ') }}
  from {{ ref('current_costs') }}
  where is_counted
),

costs as (
  select viewed.*, months.close_id, months.requested_by
  from viewed
  inner join {{ ref('ai_billing__book_months') }} as months
    on viewed.book_view = months.book_view and viewed.month = months.month
)

select
  rows_.*,
  case when coalesce(day_status, '') <> 'proven' then 'not proven' when cost_status = 'provisional' then 'provisional' end
    as uncertainty
from (
  {{ ai_billing.with_book_teams('costs') }}
) as rows_
