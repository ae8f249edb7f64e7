{{ config(materialized='view') }}
-- Exchange rates with their days: those that were frozen with each book, and those in force, as those of the book 'now'.
{%- set text = dbt.type_string() %}
with rates as (
  select cast('now' as {{ text }}) as rates_of, from_currency, to_currency, valid_from, rate
  from {{ ref('ai_billing__exchange_rates') }}
  union all
  select close_id, value_1, value_2, cast(value_3 as date), {{ ai_billing.to_decimal('value_4') }}
  from {{ ref('ai_billing_close_inputs') }}
  where input = 'exchange_rates'
)

select
  rates_of, from_currency, to_currency, valid_from as first_day,
  coalesce(lead(valid_from) over (partition by rates_of, from_currency, to_currency order by valid_from), {{ ai_billing.last_of_days() }})
    as end_day,
  rate
from rates
