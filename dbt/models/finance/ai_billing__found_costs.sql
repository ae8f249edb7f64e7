-- Sums of the versions of costs, by the UTC day on which they were found, and the day on which they were found missing.
{%- set keys = ['account', 'base_url', 'scope', 'day', 'month', 'service_provider_name', 'billing_currency'] %}
select
  {{ keys | join(',\n  ') }},
  cast(valid_from as date) as found_on,
  cast(valid_to as date) as gone_on,
  sum(billed_cost) as billed_cost
from {{ ref('ai_billing__versions_costs') }}
where is_valid
group by {{ keys | join(', ') }}, cast(valid_from as date), cast(valid_to as date)
