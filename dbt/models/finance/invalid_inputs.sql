-- Rows of the inputs that the models cannot use, with all faults of each.
{%- set labels = ai_billing.team_labels() %}
{%- set is_label = "label in ('" ~ labels | join("', '") ~ "')" %}
{%- set faults = {
  'teams': [
    ["not coalesce(" ~ is_label ~ ", false)", 'label is none of ' ~ labels | join(', ')],
    ['value is null', 'value is missing'],
    ['team is null', 'team is missing'],
    ['valid_from is not null and ' ~ ai_billing.date_of('given.valid_from') ~ ' is null', 'valid_from is not written as YYYY-MM-DD'],
    ['valid_to is not null and ' ~ ai_billing.date_of('given.valid_to') ~ ' is null', 'valid_to is not written as YYYY-MM-DD'],
    [ai_billing.date_of('given.valid_from') ~ ' > ' ~ ai_billing.date_of('given.valid_to'), 'valid_to is before valid_from'],
  ],
  'budgets': [
    [ai_billing.date_of(dbt.concat(['month', "'-01'"])) ~ ' is null and not coalesce(' ~ ai_billing.is_fiscal_year('month') ~ ', false)',
      'month is not written as YYYY-MM, or as FY and a year'],
    [
      'case when team is null then 0 else 1 end + case when project_id is null then 0 else 1 end'
        ~ ' + case when model_id is null then 0 else 1 end + case when service_provider_name is null then 0 else 1 end > 1',
      'it names more than one of team, project_id, model_id and service_provider_name'],
    ['billing_currency is null', 'billing_currency is missing'],
    [ai_billing.to_decimal('budget') ~ ' is null', 'budget is not a decimal that fits'],
    [ai_billing.to_decimal('budget') ~ ' < 0', 'budget is negative'],
  ],
  'exchange_rates': [
    ['from_currency is null or to_currency is null', 'a currency is missing'],
    ['from_currency = to_currency', 'both currencies are the same'],
    [ai_billing.date_of('valid_from') ~ ' is null', 'valid_from is not written as YYYY-MM-DD'],
    ['not coalesce(' ~ ai_billing.is_rate('rate') ~ ', false) or ' ~ ai_billing.to_decimal('rate') ~ ' = 0',
      'rate is not a decimal above 0 with at most 6 digits in front of the point and 12 behind it'],
  ],
  'invoice_totals': [
    ['invoice_issuer_name is null', 'invoice_issuer_name is missing'],
    ['invoice_id is null', 'invoice_id is missing'],
    ['billing_currency is null', 'billing_currency is missing'],
    [ai_billing.to_decimal('billed_total') ~ ' is null', 'billed_total is not a decimal that fits'],
  ],
  'shared': ai_billing.shared_faults(),
} %}
{#- A row contradicts another one with the same keys if it says something else. #}
{%- set undated = 'valid_from is null and valid_to is null' %}
{%- set said = {
  'teams': ['label, value', 'case when ' ~ undated ~ ' then team end', undated],
  'budgets': ['team, project_id, model_id, service_provider_name, month, billing_currency', ai_billing.to_decimal('budget'), '1 = 1'],
  'exchange_rates': ['from_currency, to_currency, valid_from', ai_billing.to_decimal('rate'), '1 = 1'],
  'invoice_totals': ['invoice_issuer_name, invoice_id, billing_currency', ai_billing.to_decimal('billed_total'), '1 = 1'],
  'shared': ['rule', 'rule', '1 = 0'],
} %}
{%- for input, columns in ai_billing.input_columns().items() %}
{%- set keys, value, is_compared = said[input] %}
select input, given, coalesce(nullif(substr(own_faults, 3), ''), contradiction) as why
from (
  select
    '{{ input }}' as input,
    {%- set parts = [] %}
    {%- for column in columns %}
    {%- if column in ai_billing.optional_columns().get(input, []) %}
    {%- do parts.append("coalesce(" ~ dbt.concat(["', '", column]) ~ ", '')") %}
    {%- else %}
    {%- do parts.append("', '") if not loop.first %}
    {%- do parts.append("coalesce(" ~ column ~ ", '')") %}
    {%- endif %}
    {%- endfor %}
    {{ dbt.concat(parts) }} as given,
    {%- set parts = [] %}
    {%- for condition, why in faults[input] %}
    {%- do parts.append("case when " ~ condition ~ " then '; " ~ why ~ "' else '' end") %}
    {%- endfor %}
    {{ dbt.concat(parts) }} as own_faults,
    case
      when {{ is_compared }} and min({{ value }}) over (partition by {{ keys }}) <> max({{ value }}) over (partition by {{ keys }})
        then 'another row contradicts it'
    end as contradiction
  from (
    {{ ai_billing.input_rows(input) }}
  ) as given
) as judged
where own_faults <> '' or contradiction is not null
{{ 'union all' if not loop.last }}
{%- endfor %}
