-- Rows of the inputs that the models cannot use. Each row names its first fault.
{%- set labels = "label in ('api_key_id', 'project_id', 'workspace_id')" %}
{%- set faults = {
  'teams': [
    ["not coalesce(" ~ labels ~ ", false)", 'label is none of api_key_id, project_id, workspace_id'],
    ['value is null', 'value is missing'],
    ['team is null', 'team is missing'],
  ],
  'budgets': [
    [ai_billing.date_of(dbt.concat(['month', "'-01'"])) ~ ' is null', 'month is not written as YYYY-MM'],
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
} %}
{%- for input, columns in ai_billing.input_columns().items() %}
{%- set keys = columns[:-1] %}
{%- set said = columns[-1] if input == 'teams' else ai_billing.to_decimal(columns[-1]) %}
select input, given, why
from (
  select
    '{{ input }}' as input,
    {%- set parts = [] %}
    {%- for column in columns %}
    {%- do parts.append("coalesce(" ~ column ~ ", '')") %}
    {%- do parts.append("', '") if not loop.last %}
    {%- endfor %}
    {{ dbt.concat(parts) }} as given,
    case
      {%- for condition, why in faults[input] %}
      when {{ condition }} then '{{ why }}'
      {%- endfor %}
      when min({{ said }}) over (partition by {{ keys | join(', ') }})
        <> max({{ said }}) over (partition by {{ keys | join(', ') }}) then 'another row contradicts it'
    end as why
  from (
    {{ ai_billing.input_rows(input) }}
  ) as given
) as judged
where why is not null
{{ 'union all' if not loop.last }}
{%- endfor %}
