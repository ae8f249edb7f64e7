{{ config(materialized='view') }}
-- The reporting currency of each book: the one that was frozen with it. A book without one, and the book 'now', have the one in force.
{%- set text = dbt.type_string() %}
with in_force as (
  select max(currency) as currency from {{ ref('ai_billing__reporting_currency') }}
)

select cast('now' as {{ text }}) as rates_of, currency as reporting_currency from in_force
union all
select newest.close_id, coalesce(frozen.value_1, in_force.currency)
from {{ ref('ai_billing__book_newest') }} as newest
left join (
  select close_id, value_1 from {{ ref('ai_billing_close_inputs') }} where input = 'reporting_currency'
) as frozen on newest.close_id = frozen.close_id
cross join in_force
