{# Shared costs: rules that say who bears costs that are not of one team alone. #}

{# What a rule may be about: a column of the costs, the team that has them, or that no team has them. #}
{% macro shared_labels() %}
  {{ return(['charge_category', 'service_provider_name', 'account', 'project_id', 'workspace_id', 'api_key_id', 'model_id', 'team']) }}
{% endmacro %}

{# The faults that a row of the rules may have: conditions, each with its words. Some look at the other rows of the rule. #}
{% macro shared_faults() %}
  {%- set labels = ai_billing.shared_labels() + ['unowned'] -%}
  {%- set of_rule = ' over (partition by rule)' -%}
  {%- set percent = "method = 'percent' and coalesce(" ~ ai_billing.matches('part', '(0|[1-9][0-9]?|100)([.][0-9]{1,10}0*)?') ~ ', false)' -%}
  {%- set percents = 'case when ' ~ percent ~ ' then ' ~ ai_billing.to_decimal('part') ~ ' end' -%}
  {%- set head = ai_billing.key_of(['label', 'value', 'method', 'given.valid_from', 'given.valid_to']) -%}
  {{ return([
    ['not coalesce(' ~ ai_billing.matches('rule', '[1-9][0-9]{0,3}') ~ ', false)', 'rule is not a whole number from 1 to 9999'],
    ["not coalesce(label in ('" ~ labels | join("', '") ~ "'), false)", 'label is none of ' ~ labels | join(', ')],
    ["value is null and coalesce(label <> 'unowned', true)", 'value is missing'],
    ["value is not null and label = 'unowned'", 'unowned has no value'],
    ["not coalesce(method in ('evenly', 'by spend', 'percent', 'amount'), false)", 'method is none of evenly, by spend, percent, amount'],
    ["team is null and method in ('percent', 'amount')", 'team is missing'],
    ["part is not null and method in ('evenly', 'by spend')", 'part is only for percent and amount'],
    ["method = 'percent' and not coalesce(" ~ percent ~ ' and ' ~ ai_billing.to_decimal('part') ~ ' <= 100, false)',
      'part is not a percentage up to 100 with at most 10 digits behind the point'],
    ["method = 'amount' and " ~ ai_billing.to_decimal('part') ~ ' is null', 'part is not a decimal that fits'],
    ["method = 'amount' and billing_currency is null", 'billing_currency is missing'],
    ["billing_currency is not null and method <> 'amount'", 'billing_currency is only for amount'],
    ['given.valid_from is not null and ' ~ ai_billing.date_of('given.valid_from') ~ ' is null', 'valid_from is not written as YYYY-MM-DD'],
    ['given.valid_to is not null and ' ~ ai_billing.date_of('given.valid_to') ~ ' is null', 'valid_to is not written as YYYY-MM-DD'],
    [ai_billing.date_of('given.valid_from') ~ ' > ' ~ ai_billing.date_of('given.valid_to'), 'valid_to is before valid_from'],
    ['min(' ~ head ~ ')' ~ of_rule ~ ' <> max(' ~ head ~ ')' ~ of_rule,
      'the rows of this rule differ in label, value, method, valid_from or valid_to'],
    ["team is null and method in ('evenly', 'by spend') and count(*)" ~ of_rule ~ ' > 1',
      'an empty team stands for all teams, so it is the only row of its rule'],
    ['team is not null and count(*) over (partition by rule, team, billing_currency) > 1', 'another row of this rule names this team'],
    [percent ~ ' and sum(' ~ percents ~ ')' ~ of_rule ~ ' <> 100', 'the percentages of this rule do not add up to 100'],
  ]) }}
{% endmacro %}

{# A part divided by its whole, cut after twelve digits: between 0 and 1 for a part up to its whole. Both are below 10^13. #}
{% macro share_of(part, whole) %}{{ return(adapter.dispatch('share_of', 'ai_billing')(part, whole)) }}{% endmacro %}
{% macro default__share_of(part, whole) -%}
  cast({{ part }} / {{ whole }} as decimal(38, 12))
{%- endmacro %}
{% macro postgres__share_of(part, whole) -%}
  div({{ part }} * 1000000000000, {{ whole }}) * 0.000000000001
{%- endmacro %}
{# Long division of the digits, six at a time, so that each step fits into 128 bits. #}
{% macro duckdb__share_of(part, whole) -%}
  {%- set above, below = ai_billing.duckdb_digits(part) ~ ' * 1000000', ai_billing.duckdb_digits(whole) -%}
  {%- set rest = '((' ~ above ~ ') % ' ~ below ~ ') * 1000000' -%}
  {{ ai_billing.duckdb_decimal('((' ~ above ~ ') // ' ~ below ~ ') * 1000000 + (' ~ rest ~ ') // ' ~ below, 'false', 12) }}
{%- endmacro %}
{% macro spark__share_of(part, whole) -%}
  {%- set below = 'cast(' ~ whole ~ ' as decimal(31, 18))' -%}
  {%- set above = '(cast(' ~ part ~ ' as decimal(31, 18)) * cast(1000000 as decimal(7, 0)))' -%}
  {%- set rest = '(cast(' ~ above ~ ' % ' ~ below ~ ' as decimal(31, 18)) * cast(1000000 as decimal(7, 0)))' -%}
  {%- set digits = [] -%}
  {%- for each in [above, rest] -%}
    {%- do digits.append('cast((cast(' ~ each ~ ' as decimal(37, 18)) - cast(' ~ each ~ ' % ' ~ below ~ ' as decimal(37, 18))) / '
      ~ below ~ ' as decimal(20, 0))') -%}
  {%- endfor -%}
  cast({{ digits[0] }} * 0.000001 + {{ digits[1] }} * 0.000000000001 as decimal(38, 12))
{%- endmacro %}
