{# Columns that the interface does not name, out of the JSON object x_ProviderColumns that the connector adds to a row. #}

{# A member of x_ProviderColumns as text; null if it has none, or if the table has no such column. #}
{% macro provider_column(dataset, name) -%}
  {%- set table = source('ai_billing', dataset) -%}
  {%- set held = adapter.get_columns_in_relation(table) if execute and flags.INTROSPECT else [] -%}
  {%- if held and 'x_providercolumns' not in (held | map(attribute='name') | map('lower') | list) -%}
    {{ ai_billing.as_text('null') }}
  {%- else -%}
    {{ ai_billing.json_member(ai_billing.json_as_text(ai_billing.raw_column('x_ProviderColumns')), name) }}
  {%- endif -%}
{%- endmacro %}

{# A member of a JSON object in a text, as text. #}
{% macro json_member(text, name) %}{{ return(adapter.dispatch('json_member', 'ai_billing')(text, name)) }}{% endmacro %}
{% macro default__json_member(text, name) %}json_extract_path_text({{ text }}, '{{ name }}'){% endmacro %}
{% macro duckdb__json_member(text, name) %}json_extract_string({{ text }}, '$.{{ name }}'){% endmacro %}
{% macro postgres__json_member(text, name) %}(cast({{ text }} as jsonb) ->> '{{ name }}'){% endmacro %}
{% macro redshift__json_member(text, name) %}{{ return(ai_billing.default__json_member(text, name)) }}{% endmacro %}
{% macro spark__json_member(text, name) %}get_json_object({{ text }}, '$.{{ name }}'){% endmacro %}
{% macro bigquery__json_member(text, name) %}json_value({{ text }}, '$.{{ name }}'){% endmacro %}
