{# The columns that tell a finance team whose money changed. #}
{% macro whose_columns() %}
  {{ return(['service_provider_name', 'model_id', 'project_id', 'workspace_id', 'api_key_id', 'invoice_id']) }}
{% endmacro %}

{# A column in a model of both datasets: if the dataset lacks the column, null with the type that it has in the other dataset. #}
{% macro column_or_null(dataset, name) -%}
  {%- set kinds = {} -%}
  {%- for column in ai_billing.record_columns('usage') + ai_billing.record_columns('costs') -%}
    {%- do kinds.update({column[1]: column[2]}) -%}
  {%- endfor -%}
  {%- if name in ai_billing.column_names(dataset) -%}
    {{ name }}
  {%- else -%}
    cast(null as {{ ai_billing.type_decimal() if kinds[name] == 'decimal' else dbt.type_string() }}) as {{ name }}
  {%- endif -%}
{%- endmacro %}
