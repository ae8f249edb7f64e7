-- The costs that converted_costs cannot convert, so that they are in no sum in the reporting currency.
{%- set keys = ['month', 'account', 'base_url', 'service_provider_name', 'billing_currency', 'reporting_currency', 'why_not'] %}
select
  {{ keys | join(', ') }},
  min(day) as first_day,
  max(day) as last_day,
  count(distinct day) as days,
  sum(billed_cost) as billed_cost
from (
  select converted.*, {{ ai_billing.month_of('day') }} as month
  from {{ ref('converted_costs') }} as converted
  where why_not is not null
) as missing
group by {{ keys | join(', ') }}
