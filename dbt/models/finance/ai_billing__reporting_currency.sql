-- The currency in which converted_costs are: one row, or none. The variable is a code such as EUR. A name with a point is a table of the
-- database with the column currency; several codes, or one that is none, are no currency.
{%- set named = var('ai_billing_reporting_currency') %}
select max(currency) as currency
from (
  {%- if named and '.' in named %}
  select {{ ai_billing.input_text('currency') }} as currency from {{ named }}
  {%- else %}
  select {{ ai_billing.as_text("'" ~ named ~ "'" if named else 'null') }} as currency
  {%- endif %}
) as given
having min(currency) = max(currency) and {{ ai_billing.matches('max(currency)', '[A-Z]{3}') }}
