{# The casts of the texts that the connector delivers. A decimal never passes through a float. An instant becomes a timestamp without
   a zone that holds UTC, so that the time zone of a session cannot move a day. #}

{% macro as_text(column) %}cast({{ column }} as {{ dbt.type_string() }}){% endmacro %}

{# A column of JSON as text. Destinations write a column of a JSON type, or a text. #}
{% macro json_as_text(column) %}{{ return(adapter.dispatch('json_as_text', 'ai_billing')(column)) }}{% endmacro %}
{% macro default__json_as_text(column) %}{{ return(ai_billing.as_text(column)) }}{% endmacro %}

{# Texts as one text. None of them may be null. #}
{% macro joined(texts) %}{{ return(adapter.dispatch('joined', 'ai_billing')(texts)) }}{% endmacro %}
{% macro default__joined(texts) %}{{ return(dbt.concat(texts)) }}{% endmacro %}
{# DuckDB would copy all texts before it again for each `||`. #}
{% macro duckdb__joined(texts) %}concat({{ texts | join(', ') }}){% endmacro %}

{# A column of a raw table, as the destination spells it. #}
{% macro raw_column(name) -%}
  {%- set case = var('ai_billing_column_case') -%}
  {{ adapter.quote(name | lower if case == 'lower' else name | upper if case == 'upper' else name) }}
{%- endmacro %}

{# A column of export_windows that version 0.1.0 did not have; null if the table lacks it. If dbt cannot look at the table, this assumes
   that the column exists. #}
{% macro report_column(name) -%}
  {%- set table = source('ai_billing', 'export_windows') -%}
  {%- set held = adapter.get_columns_in_relation(table) if execute and flags.INTROSPECT else [] -%}
  {%- if held and (held | selectattr('name', 'equalto', name) | list) == [] and (
      held | selectattr('name', 'equalto', name | lower) | list) == [] and (
      held | selectattr('name', 'equalto', name | upper) | list) == [] -%}
    null
  {%- else -%}
    {{ ai_billing.raw_column(name) }}
  {%- endif -%}
{%- endmacro %}

{# The decimal type of money and quantities. #}
{% macro type_decimal() %}{{ return(adapter.dispatch('type_decimal', 'ai_billing')()) }}{% endmacro %}
{% macro default__type_decimal() %}decimal(38, 18){% endmacro %}
{% macro postgres__type_decimal() %}numeric{% endmacro %}

{# Whether a whole text matches a regular expression. #}
{% macro matches(text, pattern) %}{{ return(adapter.dispatch('matches', 'ai_billing')(text, pattern)) }}{% endmacro %}
{% macro default__matches(text, pattern) %}regexp_like({{ text }}, '^({{ pattern }})$'){% endmacro %}
{% macro duckdb__matches(text, pattern) %}regexp_full_match({{ text }}, '{{ pattern }}'){% endmacro %}
{% macro postgres__matches(text, pattern) %}({{ text }} ~ '^({{ pattern }})$'){% endmacro %}
{# In regular expressions of Java, $ also matches before a line break at the end. So this uses \z. #}
{% macro spark__matches(text, pattern) %}({{ text }} rlike r'\A(?:{{ pattern }})\z'){% endmacro %}

{# A text that is a decimal, as a decimal. #}
{% macro as_decimal(column) %}{{ return(adapter.dispatch('as_decimal', 'ai_billing')(column)) }}{% endmacro %}
{% macro default__as_decimal(column) %}cast({{ column }} as {{ ai_billing.type_decimal() }}){% endmacro %}
{# DuckDB casts a text to decimal(38, 18) a hundred times slower than to a decimal of at most 18 digits, which fits into 64 bits. #}
{% macro duckdb__as_decimal(column) -%}
  {%- set text = ai_billing.as_text(column) -%}
  case
    when {{ ai_billing.matches(text, '-?[0-9]{1,18}') }} then cast(cast({{ column }} as decimal(18, 0)) as {{ ai_billing.type_decimal() }})
    when {{ ai_billing.matches(text, '-?[0-9]{1,8}[.][0-9]{1,10}') }} then cast(cast({{ column }} as decimal(18, 10)) as {{ ai_billing.type_decimal() }})
    when {{ ai_billing.matches(text, '-?[0-9]{1,3}[.][0-9]{1,15}') }} then cast(cast({{ column }} as decimal(18, 15)) as {{ ai_billing.type_decimal() }})
    else cast({{ column }} as {{ ai_billing.type_decimal() }})
  end
{%- endmacro %}

{# The exact decimal of a text. Null if the text is no decimal or does not fit; its row is then in invalid_rows. #}
{% macro to_decimal(column) -%}
  case when {{ ai_billing.fits_decimal(column, 13) }} then {{ ai_billing.as_decimal(column) }} end
{%- endmacro %}

{# The same for a control total. A total is a sum, so it may have more digits before the point than a value. #}
{% macro to_total(column) -%}
  case when {{ ai_billing.fits_decimal(column, 19) }} then {{ ai_billing.as_decimal(column) }} end
{%- endmacro %}

{# The same for a quantity. It is multiplied where its unit names a number, such as "1000 Tokens": so the product must fit, too. #}
{% macro to_quantity(column, unit) %}{{ return(adapter.dispatch('to_quantity', 'ai_billing')(column, unit)) }}{% endmacro %}
{% macro default__to_quantity(column, unit) -%}
  case when {{ ai_billing.fits_decimal(column, 13) }} then
    case when abs(cast({{ ai_billing.as_decimal(column) }} as decimal(14, 0))) * {{ ai_billing.unit_factor(unit) }} <= 10000000000000
      then {{ ai_billing.as_decimal(column) }} end
  end
{%- endmacro %}
{% macro postgres__to_quantity(column, unit) %}{{ return(ai_billing.to_decimal(column)) }}{% endmacro %}

{#
  Whether a text is a decimal that sums hold exactly. `digits` are those in front of the point. A sum has 20 of them; 13 in each row
  leave room for ten million rows. A sum that does not fit would fail as a whole, and with it every model. A decimal does not fit,
  either, if a cast would round digits away. Zeros at its end do no harm.
#}
{% macro fits_decimal(column, digits) %}{{ return(adapter.dispatch('fits_decimal', 'ai_billing')(column, digits)) }}{% endmacro %}
{% macro default__fits_decimal(column, digits) -%}
  {{ ai_billing.matches(ai_billing.as_text(column), '-?(0|[1-9][0-9]{0,' ~ (digits - 1) ~ '})([.][0-9]{1,18}0*)?') }}
{%- endmacro %}
{# PostgreSQL's numeric holds 131,072 digits in front of the point and 16,383 behind it: each sum fits. No real amount needs so many,
   so the limit here is lower. #}
{% macro postgres__fits_decimal(column, digits) -%}
  ({{ ai_billing.matches(ai_billing.as_text(column), '-?(0|[1-9][0-9]*)([.][0-9]+)?') }} and length({{ ai_billing.as_text(column) }}) <= 1000)
{%- endmacro %}

{# An instant as a UTC timestamp without a zone, in microseconds. The column holds a text in RFC 3339, a timestamp with a zone, or a
   timestamp without a zone, which is UTC. Null if the value is no instant. #}
{% macro to_utc(column) %}{{ return(adapter.dispatch('to_utc', 'ai_billing')(column)) }}{% endmacro %}

{% macro default__to_utc(column) -%}
  {{ dbt.safe_cast(ai_billing.as_text(column), api.Column.translate_type('timestamp')) }}
{%- endmacro %}

{# Without the extension ICU, DuckDB ignores the offset in a text. So this subtracts the offset itself. A timestamp, or a text in UTC
   without fractions, needs no more than the first branches, and those are quick. #}
{% macro duckdb__to_utc(column) -%}
  {%- set text = "cast(" ~ column ~ " as varchar)" -%}
  {%- set days, time = '[1-9][0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])', '([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]' -%}
  case
    when typeof({{ column }}) = 'TIMESTAMP' then
      case when year(cast({{ column }} as timestamp)) between 1000 and 9999 then cast({{ column }} as timestamp) end
    when regexp_full_match({{ text }}, '{{ days }}([Tt]{{ time }}[Zz]| {{ time }})')
      then try_cast(replace(upper(substr({{ text }}, 1, 19)), 'T', ' ') as timestamp)
    when regexp_full_match({{ text }}, '{{ ai_billing.instant_pattern() }}')
      then try_cast(replace(upper(substr({{ text }}, 1, 19)), 'T', ' ')
        || regexp_extract({{ text }}, '[.][0-9]{1,6}') as timestamp)
        - to_minutes(
            coalesce(try_cast(regexp_extract({{ text }}, ':.*([+-][0-9]{2})(:?[0-9]{2})?$', 1) as bigint), 0) * 60
            + coalesce(try_cast(regexp_extract({{ text }}, ':.*([+-])[0-9]{2}:?([0-9]{2})$', 1)
                || regexp_extract({{ text }}, ':.*[+-][0-9]{2}:?([0-9]{2})$', 1) as bigint), 0))
  end
{%- endmacro %}

{# to_jsonb writes a timestamp as ISO 8601, whatever the session's DateStyle is; a text stays as it is. PostgreSQL has no cast that
   returns null for a wrong date, so this checks the day against the length of the month. #}
{% macro postgres__to_utc(column) -%}
  {%- set text -%}
    ((to_jsonb({{ column }}) #>> '{}') || case when pg_typeof({{ column }}) = 'timestamp'::regtype then 'Z' else '' end)
  {%- endset -%}
  {%- set year = "cast(substr(" ~ text ~ ", 1, 4) as int)" -%}
  case
    when {{ text }} ~ '^({{ ai_billing.instant_pattern() }})$'
      then case
        when cast(substr({{ text }}, 9, 2) as int) <= case substr({{ text }}, 6, 2)
            when '02' then case
              when {{ year }} % 4 = 0 and ({{ year }} % 100 <> 0 or {{ year }} % 400 = 0) then 29 else 28 end
            when '04' then 30 when '06' then 30 when '09' then 30 when '11' then 30
            else 31 end
          then cast(regexp_replace(
              {{ text }} || case when {{ text }} ~ '^.{10} [^+-]*[0-9]$' then 'Z' else '' end,
              '([.][0-9]{6})[0-9]+', '\1') as timestamp with time zone) at time zone 'UTC'
      end
  end
{%- endmacro %}

{# A text with a space has no zone. Spark shows a `timestamp` in the session's zone, so this takes its microseconds instead. #}
{% macro spark__to_utc(column) -%}
  {%- set text = "upper(cast(" ~ column ~ " as string))" -%}
  timestampadd(microsecond, unix_micros(
    case
      when typeof({{ column }}) = 'timestamp' then try_cast({{ column }} as timestamp)
      when {{ ai_billing.matches(text, ai_billing.instant_pattern()) }}
        then try_cast(concat({{ text }}, case when {{ text }} rlike '^.{10} [^+-]*[0-9]$' then 'Z' else '' end) as timestamp)
    end), timestamp_ntz '1970-01-01 00:00:00')
{%- endmacro %}

{# A text with a T needs an offset: without one it names no instant. A text with a space is a timestamp that a database printed. #}
{% macro instant_pattern() -%}
  [1-9][0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])( ([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]+)?([Zz]|[+-][0-9]{2}(:?[0-9]{2})?)?|[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]+)?([Zz]|[+-][0-9]{2}:?[0-9]{2}))
{%- endmacro %}

{# Midnight UTC of a day, moved by whole days. #}
{% macro midnight(day, days=0) -%}
  {%- set start = 'cast(' ~ day ~ ' as ' ~ ai_billing.type_utc() ~ ')' -%}
  {{ start if days == 0 else ai_billing.moved_by_days(start, days) }}
{%- endmacro %}

{# A UTC timestamp some days later. dbt's own date macros for Spark depend on the session's time zone, and fail on null. #}
{% macro moved_by_days(instant, days) %}{{ return(adapter.dispatch('moved_by_days', 'ai_billing')(instant, days)) }}{% endmacro %}
{% macro default__moved_by_days(instant, days) %}{{ dbt.dateadd('day', days, instant) }}{% endmacro %}
{% macro spark__moved_by_days(instant, days) %}timestampadd(day, {{ days }}, {{ instant }}){% endmacro %}

{% macro type_utc() %}{{ return(adapter.dispatch('type_utc', 'ai_billing')()) }}{% endmacro %}
{% macro default__type_utc() %}{{ dbt.type_timestamp() }}{% endmacro %}
{% macro postgres__type_utc() %}timestamp without time zone{% endmacro %}
{% macro duckdb__type_utc() %}timestamp{% endmacro %}
{% macro spark__type_utc() %}timestamp_ntz{% endmacro %}
