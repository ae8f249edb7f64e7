{# An amount divided by a whole number above 0, rounded after 18 digits. Amounts of money never become a float. #}
{% macro divided(amount, count) %}{{ return(adapter.dispatch('divided', 'ai_billing')(amount, count)) }}{% endmacro %}

{% macro default__divided(amount, count) -%}
  cast(({{ amount }}) / cast({{ count }} as decimal(10, 0)) as {{ ai_billing.type_decimal() }})
{%- endmacro %}

{% macro postgres__divided(amount, count) -%}
  round(round({{ amount }}, 18) / {{ count }}, 18)
{%- endmacro %}

{# DuckDB divides decimals as floats. So this divides their digits, as whole numbers of 128 bits. To round a quotient, it divides twice
   the digits, adds one, and halves the result. Null for an amount of 10^19 or more, because twice its digits would not fit. #}
{% macro duckdb__divided(amount, count) -%}
  {%- set digits = ai_billing.duckdb_digits(amount) -%}
  case when abs({{ amount }}) < 10000000000000000000
    then {{ ai_billing.duckdb_decimal("((2 * " ~ digits ~ ") // " ~ count ~ " + 1) // 2", amount ~ " < 0", 18) }} end
{%- endmacro %}

{# A part divided by its whole, as a decimal with six digits: 0.25 is 25 %. Null if the whole is 0, or if one of them exceeds 10^13. #}
{% macro ratio(part, whole) %}{{ return(adapter.dispatch('ratio', 'ai_billing')(part, whole)) }}{% endmacro %}

{% macro default__ratio(part, whole) -%}
  case when {{ whole }} <> 0 and abs({{ part }}) < 10000000000000 and abs({{ whole }}) < 10000000000000
    then cast(round(({{ part }}) / ({{ whole }}), 6) as decimal(38, 6)) end
{%- endmacro %}

{% macro postgres__ratio(part, whole) -%}
  case when {{ whole }} <> 0 and abs({{ part }}) < 10000000000000 and abs({{ whole }}) < 10000000000000
    then round(round({{ part }}, 18) / {{ whole }}, 6) end
{%- endmacro %}

{% macro duckdb__ratio(part, whole) -%}
  {%- set above, below = ai_billing.duckdb_digits(part), ai_billing.duckdb_digits(whole) -%}
  case when {{ whole }} <> 0 and abs({{ part }}) < 10000000000000 and abs({{ whole }}) < 10000000000000
    then {{ ai_billing.duckdb_decimal(
      "((" ~ above ~ " * 2000000) // " ~ below ~ " + 1) // 2",
      "(" ~ part ~ " < 0) <> (" ~ whole ~ " < 0)", 6) }} end
{%- endmacro %}

{# The digits of a decimal without its sign, in units of 10^-18. #}
{% macro duckdb_digits(amount) -%}
  cast(replace(cast(abs(cast({{ amount }} as decimal(38, 18))) as varchar), '.', '') as hugeint)
{%- endmacro %}

{# The decimal that is a whole number times 10^-scale. The number stands here once: DuckDB computes each mention of it again. #}
{% macro duckdb_decimal(digits, is_negative, scale) -%}
  {%- set unit = '0.' ~ '0' * (scale - 1) ~ '1' -%}
  cast(
    cast({{ digits }} as decimal(38, 0))
    * case when {{ is_negative }} then cast(-{{ unit }} as decimal({{ scale + 1 }}, {{ scale }}))
      else cast({{ unit }} as decimal({{ scale + 1 }}, {{ scale }})) end as decimal(38, {{ scale }}))
{%- endmacro %}

{# An amount for people: with two digits after the point, or with four if it is less than 1. #}
{% macro amount_text(amount) -%}
  case when abs({{ amount }}) >= 1 or {{ amount }} = 0
    then cast(cast({{ amount }} as {{ ai_billing.type_rounded(2) }}) as {{ dbt.type_string() }})
    else cast(cast({{ amount }} as {{ ai_billing.type_rounded(4) }}) as {{ dbt.type_string() }}) end
{%- endmacro %}

{# The decimal type with so many digits after the point. #}
{% macro type_rounded(digits) %}{{ return(adapter.dispatch('type_rounded', 'ai_billing')(digits)) }}{% endmacro %}
{% macro default__type_rounded(digits) %}decimal(38, {{ digits }}){% endmacro %}

{# Whether two prices are the same, give or take one percent of the larger one. Null if one of them is. #}
{% macro same_price(one, other) -%}
  (abs({{ one }} - {{ other }}) * 100 <= greatest(abs({{ one }}), abs({{ other }})))
{%- endmacro %}
