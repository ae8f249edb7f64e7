{{ config(materialized='view') }}
-- The rules for shared costs as they were frozen with each book, one row for each team that a rule names.
select
  close_id as rules_of,
  cast(value_1 as {{ dbt.type_int() }}) as rule_number,
  {{ dbt.concat(['close_id', "' '", 'value_1']) }} as rule_,
  value_2 as label, value_3 as value, value_4 as method, value_5 as team, value_6 as billing_currency,
  {{ ai_billing.to_decimal('value_7') }} as part,
  coalesce(cast(value_8 as date), {{ ai_billing.first_of_days() }}) as first_day,
  coalesce(cast(value_9 as date), {{ ai_billing.last_of_days() }}) as end_day
from {{ ref('ai_billing_close_inputs') }}
where input = 'shared'
