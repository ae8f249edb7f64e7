{# The inputs of the user: teams, budgets, exchange rates and totals of invoices. All columns are text. #}
{% macro input_columns() %}
  {{ return({
    'teams': ['label', 'value', 'team'],
    'budgets': ['team', 'month', 'billing_currency', 'budget'],
    'exchange_rates': ['from_currency', 'to_currency', 'valid_from', 'rate'],
    'invoice_totals': ['invoice_issuer_name', 'invoice_id', 'billing_currency', 'billed_total']}) }}
{% endmacro %}

{# The rows of an input; an empty text becomes null. The variable `ai_billing_…` names a seed or a model. A name with a point is a
   table of the database. If the variable is null, the input has no rows. #}
{% macro input_rows(input) -%}
  {%- set named = var('ai_billing_' ~ input) -%}
  {%- if named and '.' not in named -%}
    {%- do ai_billing.refuse_floats(input, ref(named)) -%}
  {%- endif -%}
  select
    {%- for column in ai_billing.input_columns()[input] %}
    {% if named -%}
    {{ ai_billing.input_text(column) }}
    {%- else -%}
    {{ ai_billing.as_text('null') }}
    {%- endif %} as {{ column }}{{ ',' if not loop.last }}
    {%- endfor %}
  {%- if named %}
  from {{ named if '.' in named else ref(named) }} as given
  {%- else %}
  from (select 1 as one) as nothing
  where 1 = 0
  {%- endif %}
{%- endmacro %}

{# A value of an input; null if it is empty. #}
{% macro input_text(column) %}{{ return(adapter.dispatch('input_text', 'ai_billing')(column)) }}{% endmacro %}
{% macro default__input_text(column) %}nullif(trim({{ ai_billing.as_text(column) }}), ''){% endmacro %}
{# When dbt-spark runs its own session, it writes an empty cell of a seed as the text None. #}
{% macro spark__input_text(column) %}nullif({{ ai_billing.default__input_text(column) }}, 'None'){% endmacro %}

{# If all values of a CSV column are numbers, dbt loads them as floats. Digits are then lost before any model runs. #}
{% macro refuse_floats(input, relation) -%}
  {%- set held = adapter.get_columns_in_relation(relation) if execute and flags.INTROSPECT else [] -%}
  {%- set floats = [] -%}
  {%- for column in held if column.is_float() or column.dtype | lower in ['double', 'float64'] -%}
    {%- do floats.append(column.name) -%}
  {%- endfor -%}
  {%- if floats -%}
    {{ exceptions.raise_compiler_error(
      relation ~ ' (variable ai_billing_' ~ input ~ ') holds floats, which lose digits of money: ' ~ floats | join(', ')
      ~ '. Set their column_types to a text type in dbt_project.yml and run dbt seed --full-refresh.') }}
  {%- endif -%}
{%- endmacro %}

{# Midnight of a date that is written as YYYY-MM-DD. Null if the text is no such date. #}
{% macro date_of(text) -%}
  cast({{ ai_billing.to_utc(dbt.concat([text, "' 00:00:00'"])) }} as date)
{%- endmacro %}

{# Rows of daily or monthly costs, each with its team: the team of its key, else of its project, else of its workspace.
   `allocated_by` names the label that decided. Both are null if none of the three has a team. #}
{% macro with_team(rows) -%}
  {%- set labels = ['api_key_id', 'project_id', 'workspace_id'] -%}
  select
    rows_.*,
    coalesce({% for label in labels %}by_{{ label }}.team{{ ', ' if not loop.last }}{% endfor %}) as team,
    case
      {%- for label in labels %}
      when by_{{ label }}.team is not null then '{{ label }}'
      {%- endfor %}
    end as allocated_by
  from {{ rows }} as rows_
  {%- for label in labels %}
  left join (
    select value, team from {{ ref('ai_billing__teams') }} where label = '{{ label }}'
  ) as by_{{ label }} on rows_.{{ label }} = by_{{ label }}.value
  {%- endfor %}
{%- endmacro %}

{# Whether a text is an exchange rate. #}
{% macro is_rate(text) %}{{ return(ai_billing.matches(text, '(0|[1-9][0-9]{0,5})([.][0-9]{1,12}0*)?')) }}{% endmacro %}
