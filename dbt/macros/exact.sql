{# Cost per million units, cut after twelve digits. It uses whole numbers only, because some databases divide decimals as floats. #}
{% macro per_million(cost, quantity) %}{{ return(adapter.dispatch('per_million', 'ai_billing')(cost, quantity)) }}{% endmacro %}

{% macro default__per_million(cost, quantity) -%}
  case when abs({{ cost }}) < 10000000000000
    then cast({{ cost }} * 1000000 / nullif({{ quantity }}, 0) as {{ ai_billing.type_decimal() }}) end
{%- endmacro %}

{% macro postgres__per_million(cost, quantity) -%}
  div({{ cost }} * 1000000000000000000, nullif({{ quantity }}, 0)) * 0.000000000001
{%- endmacro %}

{# Long division of the digits, six at a time, so that each step fits into 128 bits. A cost above 10^13, more than 10^14
   units, or a result above 10^20 would not fit: the result is null. #}
{% macro duckdb__per_million(cost, quantity) -%}
  {%- set above = "(cast(replace(cast(abs(" ~ cost ~ ") as varchar), '.', '') as hugeint) * 1000000)" -%}
  {%- set below = "cast(replace(cast(abs(" ~ quantity ~ ") as varchar), '.', '') as hugeint)" -%}
  {%- set rest = "(" ~ above ~ " % " ~ below ~ ") * 1000000" -%}
  {%- set last = "(" ~ rest ~ " % " ~ below ~ ") * 1000000" -%}
  case when {{ quantity }} <> 0 and abs({{ cost }}) < 10000000000000 and abs({{ quantity }}) < 100000000000000
    then try_cast(
      case when ({{ cost }} < 0) <> ({{ quantity }} < 0) then '-' else '' end
      || cast({{ above }} // {{ below }} as varchar) || '.'
      || lpad(cast({{ rest }} // {{ below }} as varchar), 6, '0')
      || lpad(cast({{ last }} // {{ below }} as varchar), 6, '0') as decimal(38, 18))
  end
{%- endmacro %}

{# The same long division by remainders: each quotient is a whole number, so the session's scale of decimals does not matter. Null
   above a cost of 10^12 or above 10^14 units. #}
{% macro spark__per_million(cost, quantity) -%}
  {%- set below = "cast(abs(" ~ quantity ~ ") as decimal(32, 18))" -%}
  {%- set above = "(cast(abs(" ~ cost ~ ") as decimal(30, 18)) * cast(1000000 as decimal(7, 0)))" -%}
  {%- set rest = "(cast(" ~ above ~ " % " ~ below ~ " as decimal(32, 18)) * cast(1000000 as decimal(7, 0)))" -%}
  {%- set last = "(cast(" ~ rest ~ " % " ~ below ~ " as decimal(32, 18)) * cast(1000000 as decimal(7, 0)))" -%}
  case when {{ quantity }} <> 0 and abs({{ cost }}) < 1000000000000 and abs({{ quantity }}) < 100000000000000
    then cast(concat(
      case when ({{ cost }} < 0) <> ({{ quantity }} < 0) then '-' else '' end,
      {%- for part in [above, rest, last] %}
      {{ "'.', " if loop.index == 2 }}{{ 'lpad(' if loop.index > 1 }}cast(cast(
        (cast({{ part }} as decimal(37, 18)) - cast({{ part }} % {{ below }} as decimal(37, 18))) / {{ below }} as decimal(38, 0)) as string){{ ", 6, '0')" if loop.index > 1 }}{{ ',' if not loop.last }}
      {%- endfor %}) as decimal(38, 18))
  end
{%- endmacro %}

{# How many of the plain unit are in a unit: 1000 for "1000 Tokens". #}
{% macro unit_factor(unit) -%}
  case when {{ ai_billing.matches(unit, '[1-9][0-9]{0,8} .+') }}
    then cast({{ dbt.split_part(unit, "' '", 1) }} as decimal(10, 0)) else cast(1 as decimal(10, 0)) end
{%- endmacro %}
{% macro unit_name(unit) -%}
  case when {{ ai_billing.matches(unit, '[1-9][0-9]{0,8} .+') }}
    then {{ dbt.replace(unit, dbt.concat([dbt.split_part(unit, "' '", 1), "' '"]), "''") }} else {{ unit }} end
{%- endmacro %}

{# The groups of a reading's control totals: one row for each group, and each value as text. For another database, a project adds
   a version of this macro and of `explodes_totals`. #}
{% macro explodes_totals() %}{{ return(adapter.dispatch('explodes_totals', 'ai_billing')()) }}{% endmacro %}
{% macro default__explodes_totals() %}1 = 0{% endmacro %}
{% macro duckdb__explodes_totals() %}1 = 1{% endmacro %}
{% macro postgres__explodes_totals() %}1 = 1{% endmacro %}
{% macro spark__explodes_totals() %}1 = 1{% endmacro %}

{% macro exploded_totals(relation, fields) %}{{ return(adapter.dispatch('exploded_totals', 'ai_billing')(relation, fields)) }}{% endmacro %}

{% macro default__exploded_totals(relation, fields) -%}
  select dataset, scope, day, reading_id{% for field in fields %}, cast(null as {{ dbt.type_string() }}) as {{ field }}{% endfor %}
  from {{ relation }}
{%- endmacro %}

{% macro duckdb__exploded_totals(relation, fields) -%}
  {%- set shape = [] -%}
  {%- for field in fields %}{% do shape.append('"' ~ field ~ '":"VARCHAR"') %}{% endfor -%}
  select dataset, scope, day, reading_id{% for field in fields %}, part.{{ field }}{% endfor %}
  from (
    select dataset, scope, day, reading_id, unnest(from_json(totals, '[{ {{- shape | join(',') -}} }]')) as part
    from {{ relation }}
  ) as parts
{%- endmacro %}

{% macro postgres__exploded_totals(relation, fields) -%}
  select dataset, scope, day, reading_id{% for field in fields %}, part ->> '{{ field }}' as {{ field }}{% endfor %}
  from {{ relation }}
  cross join lateral jsonb_array_elements(cast(totals as jsonb)) as part
{%- endmacro %}

{% macro spark__exploded_totals(relation, fields) -%}
  select dataset, scope, day, reading_id{% for field in fields %}, part.{{ field }}{% endfor %}
  from (
    select dataset, scope, day, reading_id,
      explode(from_json(totals, 'array<struct<{{ fields | join(': string, ') }}: string>>')) as part
    from {{ relation }}
  ) as parts
{%- endmacro %}

{# Whether a unit is tokens. #}
{% macro is_tokens(unit) %}lower({{ unit }}) in ('tokens', 'token'){% endmacro %}

{# Millions of units. Null from 10^14 units on, where the product would not fit; PostgreSQL's numeric has no such limit. #}
{% macro millions(quantity) %}{{ return(adapter.dispatch('millions', 'ai_billing')(quantity)) }}{% endmacro %}
{% macro default__millions(quantity) -%}
  case when abs({{ quantity }}) < 100000000000000 then cast({{ quantity }} * 0.000001 as {{ ai_billing.type_decimal() }}) end
{%- endmacro %}
{% macro postgres__millions(quantity) %}{{ quantity }} * 0.000001{% endmacro %}

{# An amount times a factor, rounded after 18 digits. The factor has at most 12 digits after the point. A product of two
   DECIMAL(38,18) would need 36 digits after the point, so the whole part and the fraction of the amount are multiplied separately.
   Null for an amount above 10^13 or a factor above 10^6. Halves go away from zero: the fraction has the sign of the amount. #}
{% macro times(amount, factor) %}{{ return(adapter.dispatch('times', 'ai_billing')(amount, factor)) }}{% endmacro %}
{% macro default__times(amount, factor) -%}
  {%- set whole = "cast(case when " ~ amount ~ " < 0 then ceil(" ~ amount ~ ") else floor(" ~ amount ~ ") end as decimal(19, 0))" -%}
  {%- set short = "cast(" ~ factor ~ " as decimal(18, 12))" -%}
  case when abs({{ amount }}) < 10000000000000 and abs({{ factor }}) < 1000000
    then cast({{ whole }} * {{ short }} as {{ ai_billing.type_decimal() }})
      + cast(cast({{ amount }} - {{ whole }} as decimal(18, 18)) * {{ short }} as decimal(38, 18))
  end
{%- endmacro %}

{# A JSON object, as text, with the members that are not null. Null if all members are null. #}
{% macro json_object(texts) -%}
  {%- set parts = [] -%}
  {%- for name, column in texts.items() -%}
    {%- do parts.append("case when " ~ column ~ " is null then '' else " ~ dbt.concat(["',\"" ~ name ~ "\":'", ai_billing.json_text(column)]) ~ " end") -%}
  {%- endfor -%}
  case when coalesce({{ texts.values() | join(', ') }}) is not null
    then {{ dbt.concat(["'{'", "substr(" ~ dbt.concat(parts) ~ ", 2)", "'}'"]) }} end
{%- endmacro %}

{# A text as JSON writes it, in quotes. #}
{% macro json_text(text) %}{{ return(adapter.dispatch('json_text', 'ai_billing')(text)) }}{% endmacro %}
{% macro default__json_text(text) -%}
  {{ dbt.concat(["'\"'", "replace(replace(" ~ text ~ ", chr(92), " ~ dbt.concat(['chr(92)', 'chr(92)']) ~ "), '\"', "
    ~ dbt.concat(['chr(92)', "'\"'"]) ~ ")", "'\"'"]) }}
{%- endmacro %}
{% macro duckdb__json_text(text) %}cast(to_json({{ text }}) as varchar){% endmacro %}
{% macro postgres__json_text(text) %}cast(to_json({{ text }}) as text){% endmacro %}
{% macro spark__json_text(text) %}regexp_replace(to_json(array({{ text }})), '^.|.$', ''){% endmacro %}

{# An amount rounded to the smallest unit of its currency (ISO 4217), halves away from zero. Currencies that are not named have cents. #}
{% macro in_smallest_unit(amount, currency) -%}
  {%- set whole = ['BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF'] -%}
  {%- set thousandths = ['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'] -%}
  case
    when {{ currency }} in ('{{ whole | join("', '") }}') then cast(round({{ amount }}, 0) as {{ ai_billing.type_decimal() }})
    when {{ currency }} in ('{{ thousandths | join("', '") }}') then cast(round({{ amount }}, 3) as {{ ai_billing.type_decimal() }})
    else cast(round({{ amount }}, 2) as {{ ai_billing.type_decimal() }})
  end
{%- endmacro %}
