{# The inputs of the user: teams, budgets, exchange rates, totals of invoices and rules for shared costs. All columns are text. #}
{% macro input_columns() %}
  {{ return({
    'teams': ['label', 'value', 'team', 'valid_from', 'valid_to'],
    'budgets': ['team', 'month', 'billing_currency', 'budget', 'project_id', 'model_id', 'service_provider_name'],
    'exchange_rates': ['from_currency', 'to_currency', 'valid_from', 'rate'],
    'invoice_totals': ['invoice_issuer_name', 'invoice_id', 'billing_currency', 'billed_total'],
    'shared': ['rule', 'label', 'value', 'method', 'team', 'part', 'billing_currency', 'valid_from', 'valid_to']}) }}
{% endmacro %}

{# The columns of an input that a seed or a table may lack. #}
{% macro optional_columns() %}
  {{ return({'teams': ['valid_from', 'valid_to'], 'budgets': ['project_id', 'model_id', 'service_provider_name'],
    'shared': ['billing_currency', 'valid_from', 'valid_to']}) }}
{% endmacro %}

{# The first month of the fiscal year, as two digits. The variable is a month from 1 to 12. A name with a point is a table of the database
   with the column month. #}
{% macro fiscal_year_start() -%}
  {%- set given = var('ai_billing_fiscal_year_start') | string -%}
  {%- if '.' in given -%}
  lpad(coalesce((select max({{ ai_billing.input_text('month') }}) from {{ given }}), '1'), 2, '0')
  {%- elif modules.re.match('(0?[1-9]|1[0-2])$', given) -%}
  '{{ '%02d' % (given | int) }}'
  {%- else -%}
  {{ exceptions.raise_compiler_error('ai_billing_fiscal_year_start is a month from 1 to 12, and "' ~ given ~ '" is none') }}
  {%- endif -%}
{%- endmacro %}

{# Whether a text is a fiscal year, such as FY2026. #}
{% macro is_fiscal_year(text) %}{{ return(ai_billing.matches(text, 'FY[1-9][0-9]{3}')) }}{% endmacro %}

{# The optional columns that the table of an input lacks. If dbt cannot look at the table, this assumes that it has all of them. #}
{% macro lacking_columns(input, named) %}
  {%- set lacking = [] -%}
  {%- if execute and flags.INTROSPECT and input in ai_billing.optional_columns() -%}
    {%- set parts = named.split('.') -%}
    {%- set relation = ref(named) if '.' not in named else api.Relation.create(
      database=parts[-3] if parts | length > 2 else target.database | default(none), schema=parts[-2], identifier=parts[-1]) -%}
    {%- set held = adapter.get_columns_in_relation(relation) | map(attribute='name') | map('lower') | list -%}
    {%- for column in ai_billing.optional_columns()[input] if held and column not in held -%}
      {%- do lacking.append(column) -%}
    {%- endfor -%}
  {%- endif -%}
  {{ return(lacking) }}
{% endmacro %}

{# The rows of an input; an empty text becomes null. The variable `ai_billing_…` names a seed or a model. A name with a point is a
   table of the database. If the variable is null, the input has no rows. #}
{% macro input_rows(input) -%}
  {%- set named = var('ai_billing_' ~ input) -%}
  {%- if named and '.' not in named -%}
    {%- do ai_billing.refuse_floats(input, ref(named)) -%}
  {%- endif -%}
  {%- set lacking = ai_billing.lacking_columns(input, named) if named else [] -%}
  select
    {%- for column in ai_billing.input_columns()[input] %}
    {% if named and column not in lacking -%}
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

{# The days before and after all others, for a row of an input that names no first or last day. #}
{% macro first_of_days() %}cast('1000-01-01' as date){% endmacro %}
{% macro last_of_days() %}cast('9999-12-31' as date){% endmacro %}

{# The first day after the last day of a row of an input. #}
{% macro end_of(last_day) -%}
  case when {{ last_day }} < {{ ai_billing.last_of_days() }} then {{ ai_billing.add_days(last_day, 1) }} else {{ ai_billing.last_of_days() }} end
{%- endmacro %}

{# The labels that a row of the team map may name. The first one that has a team decides. #}
{% macro team_labels() %}{{ return(['api_key_id', 'project_id', 'workspace_id']) }}{% endmacro %}

{# The rows of the team map that can be used, with their days: from `first_day` to the day before `end_day`. #}
{% macro team_claims() -%}
  select distinct
    label, value, team,
    coalesce(from_day, {{ ai_billing.first_of_days() }}) as first_day,
    {{ ai_billing.end_of('to_day') }} as end_day
  from (
    select
      label, value, team, given.valid_from, given.valid_to,
      {{ ai_billing.date_of('given.valid_from') }} as from_day,
      {{ ai_billing.date_of('given.valid_to') }} as to_day
    from (
      {{ ai_billing.input_rows('teams') }}
    ) as given
  ) as typed
  where label in ('{{ ai_billing.team_labels() | join("', '") }}') and value is not null and team is not null
    and (valid_from is null or from_day is not null) and (valid_to is null or to_day is not null)
    and coalesce(from_day <= to_day, true)
{%- endmacro %}

{# The days between all first and last days of a value, with the number of teams that claim them. #}
{% macro team_spans(claims) -%}
  select
    spans.label, spans.value, spans.first_day, spans.end_day,
    count(distinct claims.team) as teams, min(claims.team) as team, max(claims.team) as other_team
  from (
    select label, value, day as first_day, lead(day) over (partition by label, value order by day) as end_day
    from (
      select label, value, first_day as day from {{ claims }} as begun
      union all
      select label, value, end_day from {{ claims }} as ended
    ) as edges
    group by label, value, day
  ) as spans
  left join {{ claims }} as claims
    on spans.label = claims.label
    and spans.value = claims.value
    and claims.first_day <= spans.first_day
    and claims.end_day >= spans.end_day
  where spans.end_day is not null
  group by spans.label, spans.value, spans.first_day, spans.end_day
{%- endmacro %}

{# Rows of costs with a `day`, each with its team on this day: the team of its key, else of its project, else of its workspace.
   `allocated_by` names the label that decided. Both are null if none of the three has a team. #}
{% macro with_team(rows) -%}
  {%- set labels = ai_billing.team_labels() -%}
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
    select value, team, first_day, end_day from {{ ref('ai_billing__teams') }} where label = '{{ label }}'
  ) as by_{{ label }}
    on rows_.{{ label }} = by_{{ label }}.value
    and rows_.day >= by_{{ label }}.first_day
    and rows_.day < by_{{ label }}.end_day
  {%- endfor %}
{%- endmacro %}

{# Whether a text is an exchange rate. #}
{% macro is_rate(text) %}{{ return(ai_billing.matches(text, '(0|[1-9][0-9]{0,5})([.][0-9]{1,12}0*)?')) }}{% endmacro %}
