{# Macros for BigQuery, Redshift and Snowflake. The tests compile the models for these databases and parse the result, but run on
   none of them. Databricks uses the macros of Spark. #}

{% macro bigquery__type_decimal() %}bignumeric(38, 18){% endmacro %}
{% macro bigquery__matches(text, pattern) %}regexp_contains({{ text }}, r'\A(?:{{ pattern }})\z'){% endmacro %}
{# dbt's own macro would make a DATETIME, which cannot be compared with a TIMESTAMP. #}
{% macro bigquery__moved_by_days(instant, days) %}timestamp_add({{ instant }}, interval {{ days }} day){% endmacro %}
{% macro bigquery__divided(amount, count) -%}
  round(cast({{ amount }} as bignumeric) / {{ count }}, 18)
{%- endmacro %}
{% macro bigquery__ratio(part, whole) -%}
  round(safe_divide(cast({{ part }} as bignumeric), cast({{ whole }} as bignumeric)), 6)
{%- endmacro %}
{% macro bigquery__per_million(cost, quantity) -%}
  trunc(safe_divide(cast({{ cost }} as bignumeric) * 1000000, cast({{ quantity }} as bignumeric)), 12)
{%- endmacro %}
{% macro bigquery__times(amount, factor) -%}
  round(cast({{ amount }} as bignumeric) * cast({{ factor }} as bignumeric), 18)
{%- endmacro %}
{# `decimal` of BigQuery has at most nine digits after the point, and 29 before it. #}
{% macro bigquery__share_of(part, whole) -%}
  trunc(safe_divide(cast({{ part }} as bignumeric), cast({{ whole }} as bignumeric)), 12)
{%- endmacro %}
{% macro bigquery__type_rounded(digits) %}bignumeric(38, {{ digits }}){% endmacro %}
{# BigQuery has no cast from JSON to a text. JSON of a text is one more text, in quotes, whose value is the text. #}
{% macro bigquery__json_as_text(column) -%}
  nullif(coalesce(json_value(to_json_string({{ column }}), '$'), to_json_string({{ column }})), 'null')
{%- endmacro %}
{% macro bigquery__json_text(text) %}to_json_string({{ text }}){% endmacro %}
{% macro bigquery__explodes_totals() %}1 = 1{% endmacro %}
{% macro bigquery__exploded_totals(relation, fields) -%}
  select dataset, scope, day, reading_id{% for field in fields %}, json_value(part, '$.{{ field }}') as {{ field }}{% endfor %}
  from {{ relation }}
  cross join unnest(json_query_array(totals)) as part
{%- endmacro %}

{# If Redshift has no macro of its own, dbt takes the one of PostgreSQL. That is wrong here: `numeric` of Redshift has no digits after
   the point, and Redshift has no jsonb. #}
{% macro redshift__type_decimal() %}decimal(38, 18){% endmacro %}
{% macro redshift__fits_decimal(column, digits) %}{{ return(ai_billing.default__fits_decimal(column, digits)) }}{% endmacro %}
{% macro redshift__to_quantity(column, unit) %}{{ return(ai_billing.default__to_quantity(column, unit)) }}{% endmacro %}
{% macro redshift__millions(quantity) %}{{ return(ai_billing.default__millions(quantity)) }}{% endmacro %}
{% macro redshift__per_million(cost, quantity) %}{{ return(ai_billing.default__per_million(cost, quantity)) }}{% endmacro %}
{% macro redshift__divided(amount, count) %}{{ return(ai_billing.default__divided(amount, count)) }}{% endmacro %}
{# A quotient of Redshift has 38 digits. As many of them stand behind the point as the digits of the dividend in front of the point and those of
   the divisor behind it leave free, and at least 4: two decimal(38, 18) would leave 4. Both sides are below 10^13 here, so that 6 are left. #}
{% macro redshift__quotient(part, whole) %}(cast({{ part }} as decimal(32, 18)) / cast({{ whole }} as decimal(32, 18))){% endmacro %}
{% macro redshift__ratio(part, whole) -%}
  case when {{ whole }} <> 0 and abs({{ part }}) < 10000000000000 and abs({{ whole }}) < 10000000000000
    then cast(round({{ ai_billing.redshift__quotient(part, whole) }}, 6) as decimal(38, 6)) end
{%- endmacro %}
{% macro redshift__share_of(part, whole) %}cast({{ ai_billing.redshift__quotient(part, whole) }} as decimal(38, 12)){% endmacro %}
{% macro redshift__explodes_totals() %}1 = 0{% endmacro %}
{% macro redshift__exploded_totals(relation, fields) %}{{ return(ai_billing.default__exploded_totals(relation, fields)) }}{% endmacro %}
{# A cast would make null of an array or object in a SUPER. #}
{% macro redshift__json_as_text(column) -%}
  {%- set value = 'cast(' ~ column ~ ' as super)' -%}
  nullif(case when is_varchar({{ value }}) then cast({{ value }} as varchar(65535)) else json_serialize({{ value }}) end, 'null')
{%- endmacro %}
{% macro redshift__json_text(text) %}{{ return(ai_billing.default__json_text(text)) }}{% endmacro %}
{% macro redshift__type_utc() %}timestamp without time zone{% endmacro %}
{% macro redshift__to_utc(column) -%}
  {%- set text = "cast(" ~ column ~ " as varchar(64))" -%}
  case when {{ ai_billing.matches(text, ai_billing.instant_pattern()) }}
    then cast({{ text }} || case when {{ text }} ~ '^.{10} [^+-]*[0-9]$' then 'Z' else '' end as timestamp with time zone)
      at time zone 'UTC' end
{%- endmacro %}

{% macro snowflake__to_utc(column) -%}
  {%- set text = "regexp_replace(cast(" ~ column ~ " as varchar), ' ([+-][0-9Z:]+)$', '\\\\1')" -%}
  case when {{ ai_billing.matches(text, ai_billing.instant_pattern()) }}
    then cast(convert_timezone('UTC', try_cast(
      {{ text }} || case when regexp_like({{ text }}, '.{10} [^+-]*[0-9]') then 'Z' else '' end as timestamp_tz)) as timestamp_ntz) end
{%- endmacro %}
{# A cast writes a timestamp in the session's format, by default without its microseconds. #}
{% macro snowflake__session_settings() -%}
  {%- set format = "'YYYY-MM-DD HH24:MI:SS.FF6" -%}
  alter session set timestamp_ntz_output_format = {{ format }}', timestamp_ltz_output_format = {{ format }} TZHTZM',
    timestamp_tz_output_format = {{ format }} TZHTZM'
{%- endmacro %}
{% macro snowflake__type_utc() %}timestamp_ntz{% endmacro %}
{% macro snowflake__explodes_totals() %}1 = 1{% endmacro %}
{% macro snowflake__exploded_totals(relation, fields) -%}
  select dataset, scope, day, reading_id{% for field in fields %}, cast(get(part.value, '{{ field }}') as varchar) as {{ field }}{% endfor %}
  from {{ relation }},
  lateral flatten(input => parse_json(totals)) as part
{%- endmacro %}
{% macro snowflake__json_text(text) %}to_json(to_variant({{ text }})){% endmacro %}
