-- Costs as incurred, by day of charge period. Billed and effective cost count the same money in two ways: never add them. If an
-- account has no cost in one of its currencies on a known day, that day has a row without labels. Names are those of today, and ids without
-- one stand for themselves.
{%- set grain = ['day', 'account', 'base_url', 'service_provider_name', 'service_name', 'sku_id']
  + ai_billing.labels('costs') + ['usage_type', 'charge_category', 'cost_status', 'billing_currency'] %}
with costs as (
  select
    {{ grain | join(',\n    ') }},
    sum(billed_cost) as billed_cost,
    sum(effective_cost) as effective_cost,
    count(*) as records,
    max(day_status) as day_status
  from {{ ref('current_costs') }}
  where is_counted
  group by {{ grain | join(', ') }}
),

costly_days as (
  select distinct {{ ai_billing.place_of('base_url', 'account') }} as place, billing_currency, day from costs
),

currencies as (
  select distinct place, billing_currency from costly_days
),

rows_ as (
  select * from costs
  union all
  select
    calendar.day,
    calendar.account,
    calendar.base_url,
    {%- for name in grain[3:-1] %}
    cast(null as {{ dbt.type_string() }}) as {{ name }},
    {%- endfor %}
    currencies.billing_currency,
    cast(0 as {{ ai_billing.type_decimal() }}) as billed_cost,
    cast(0 as {{ ai_billing.type_decimal() }}) as effective_cost,
    0 as records,
    calendar.day_status
  from {{ ref('ai_billing__calendar_costs') }} as calendar
  inner join currencies on calendar.place = currencies.place
  left join costly_days
    on calendar.place = costly_days.place
    and currencies.billing_currency = costly_days.billing_currency
    and calendar.day = costly_days.day
  where costly_days.day is null
)

select
  rows_.*
  {%- for label in ai_billing.named_labels() %},
  coalesce(by_{{ label }}.shown, rows_.{{ label }}) as {{ ai_billing.name_column(label) }}
  {%- endfor %}
from rows_
{%- for label in ai_billing.named_labels() %}
left join (
  select value, shown from {{ ref('ai_billing__names') }} where label = '{{ label }}'
) as by_{{ label }} on rows_.{{ label }} = by_{{ label }}.value
{%- endfor %}
