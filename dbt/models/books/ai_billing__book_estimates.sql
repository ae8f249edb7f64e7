{{ config(materialized='view') }}
-- An estimate for each day that was not read, or not as a whole: the mean usage charge of the proven days among the 31 days up to the
-- end of the month, less the rows that the day has already. Without a proven day among them there is no estimate.
{%- set owners = ai_billing.record_owners() %}
with missing as (
  select * from {{ ref('ai_billing__book_days') }} where day_status <> 'not proven'
),

periods as (
  select
    book_view, month, place, max(end_day) as end_day, {{ ai_billing.add_days('max(end_day)', -31) }} as first_day
  from missing
  group by book_view, month, place
),

proven as (
  select {{ ai_billing.place_of('base_url', 'account') }} as place, day
  from {{ ref('completeness') }}
  where dataset = 'costs'
  group by {{ ai_billing.place_of('base_url', 'account') }}, day
  having max(status) = 'proven' and min(status) = 'proven'
),

bases as (
  select periods.book_view, periods.month, periods.place, count(*) as days, max(proven.day) as last_day
  from periods
  inner join proven
    on periods.place = proven.place and proven.day >= periods.first_day and proven.day < periods.end_day
  group by periods.book_view, periods.month, periods.place
),

usage_charges as (
  select {{ ai_billing.place_of('base_url', 'account') }} as place, day, {{ owners | join(', ') }}, billed_cost
  from {{ ref('current_costs') }}
  where is_counted and charge_category = 'Usage' and charge_period_end <= {{ ai_billing.midnight('day', 1) }}
),

means as (
  select
    periods.book_view, periods.month, periods.place,
    {%- for name in owners if name != 'invoice_id' %}
    charges.{{ name }},
    {%- endfor %}
    sum(charges.billed_cost) as billed_cost
  from periods
  inner join proven
    on periods.place = proven.place and proven.day >= periods.first_day and proven.day < periods.end_day
  inner join usage_charges as charges on proven.place = charges.place and proven.day = charges.day
  group by
    periods.book_view, periods.month, periods.place
    {%- for name in owners if name != 'invoice_id' %}, charges.{{ name }}{% endfor %}
),

expected as (
  select
    missing.book_view, missing.month, missing.close_id, missing.requested_by, missing.day,
    {%- for name in owners if name != 'invoice_id' %}
    means.{{ name }},
    {%- endfor %}
    cast(null as {{ dbt.type_string() }}) as invoice_id,
    bases.days, bases.last_day,
    {{ ai_billing.divided('means.billed_cost', 'bases.days') }} as mean_cost
  from missing
  inner join bases
    on missing.book_view = bases.book_view and missing.month = bases.month and missing.place = bases.place
  inner join means
    on missing.book_view = means.book_view and missing.month = means.month and missing.place = means.place
),

held as (
  select
    day, {{ ai_billing.key_of(owners | reject('equalto', 'invoice_id') | list) }} as owner_key,
    sum(billed_cost) as billed_cost
  from usage_charges
  group by day, {{ ai_billing.key_of(owners | reject('equalto', 'invoice_id') | list) }}
),

keyed as (
  select expected.*, {{ ai_billing.key_of(owners | reject('equalto', 'invoice_id') | list) }} as owner_key from expected
),

estimated as (
  select keyed.*, keyed.mean_cost - coalesce(held.billed_cost, 0) as amount
  from keyed
  left join held on keyed.day = held.day and keyed.owner_key = held.owner_key
)

select
  rows_.*,
  {{ dbt.concat([
    "'mean usage charge of '", ai_billing.as_text('days'), "' proven days, the last of them '", ai_billing.day_text('last_day')]) }}
    as method
from (
  {{ ai_billing.with_book_teams('estimated') }}
) as rows_
where amount > 0
