-- List and effective price of a million units, by day, model and kind of usage. Charges that correct an earlier day are in no price.
--
-- A price counts once it holds on three days with usage: it is the same on the day and on the next two, give or take one percent, because
-- costs are rounded. It is a change if it differs from the one that held before. So a day, or two in a row, that was corrected later is
-- none, and neither is a day that is still in progress.
{%- set series = ['account', 'base_url', 'service_provider_name', 'service_name'] + ai_billing.labels('prices')
  + ['usage_type', 'unit', 'billing_currency'] %}
{%- set kinds = ['effective', 'list'] %}
with summed as (
  select
    day, {{ series | join(', ') }},
    {{ ai_billing.key_of(series) }} as series,
    sum(quantity) as quantity,
    sum(effective_cost - correction_cost) as effective_cost,
    case when count(*) = count(list_cost) then sum(list_cost) end as list_cost,
    max(case when day_status = 'incomplete' then 1 else 0 end) as is_incomplete,
    {{ ai_billing.worst_of('day_status') }} as day_status
  from {{ ref('unit_costs') }}
  where usage_type is not null and unit is not null and charges > 0 and quantity > 0
  group by day, {{ series | join(', ') }}
),

priced as (
  select
    summed.*,
    {%- for kind in kinds %}
    {{ ai_billing.per_million(kind ~ '_cost', 'quantity') }} as {{ kind }}_price{{ ',' if not loop.last }}
    {%- endfor %}
  from summed
),
{%- for kind in kinds %}

{%- set price = kind ~ '_price' %}

{{ kind }}_near as (
  select
    series, day, {{ price }} as price,
    lead({{ price }}, 1) over (partition by series order by day) as next_price,
    lead({{ price }}, 2) over (partition by series order by day) as later_price
  from priced
  where is_incomplete = 0 and {{ price }} is not null
),

{{ kind }}_held as (
  select series, day, price, lag(price) over (partition by series order by day) as price_before
  from {{ kind }}_near
  where {{ ai_billing.same_price('price', 'next_price') }} and {{ ai_billing.same_price('price', 'later_price') }}
),

{{ kind }}_changes as (
  select series, day, price_before from {{ kind }}_held where not {{ ai_billing.same_price('price', 'price_before') }}
){{ ',' if not loop.last }}
{%- endfor %}

select
  priced.day,
  {%- for name in series %}
  priced.{{ name }},
  {%- endfor %}
  priced.quantity,
  {%- for kind in kinds %}
  priced.{{ kind }}_cost,
  priced.{{ kind }}_price,
  {{ kind }}_changes.series is not null as is_{{ kind }}_price_change,
  {{ kind }}_changes.price_before as {{ kind }}_price_before,
  {%- endfor %}
  priced.day_status
from priced
{%- for kind in kinds %}
left join {{ kind }}_changes on priced.series = {{ kind }}_changes.series and priced.day = {{ kind }}_changes.day
{%- endfor %}
