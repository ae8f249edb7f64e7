{{ config(materialized='view') }}
-- The sums of each month in the books after each close, by team and by the rule that takes it: one of those that were frozen with the month.
{%- set keys = ['close_id', 'month', 'rules_of', 'account', 'base_url', 'day', 'service_provider_name', 'charge_category', 'project_id',
  'workspace_id', 'api_key_id', 'model_id', 'team', 'billing_currency'] %}
with costs as (
  select
    {%- for name in keys if name != 'rules_of' %}
    entries.{{ name }},
    {%- endfor %}
    months.close_id as rules_of, sum(entries.amount) as amount
  from {{ ref('ai_billing_close_entries') }} as entries
  inner join {{ ref('ai_billing_closes') }} as months
    on entries.book_view = months.book_view and entries.month = months.book_month
  where months.digest is not null
  group by
    {%- for name in keys if name != 'rules_of' %}
    entries.{{ name }},
    {%- endfor %}
    months.close_id
),

taken as (
  {{ ai_billing.taken_by_rules('costs', ref('ai_billing__book_rules'), keys, ['amount'], ['rules_of']) }}
)

select
  books.after_close, taken.month, taken.account, taken.base_url, taken.team, taken.billing_currency,
  case when taken.rule_number is not null then {{ dbt.concat(['taken.rules_of', "' '", ai_billing.as_text('taken.rule_number')]) }} end
    as rule_,
  sum(taken.amount) as amount
from taken
inner join {{ ref('ai_billing__book_counted') }} as books on taken.close_id = books.close_id
inner join {{ ref('ai_billing__book_counted') }} as months
  on books.after_close = months.after_close and taken.rules_of = months.close_id
group by
  books.after_close, taken.month, taken.account, taken.base_url, taken.team, taken.billing_currency, taken.rules_of, taken.rule_number
