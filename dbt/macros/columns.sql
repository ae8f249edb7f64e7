{# The columns of a record, by their names in these models. #}
{% macro column_names(dataset) %}
  {{ return(ai_billing.record_columns(dataset) | map(attribute=1) | list) }}
{% endmacro %}

{# The columns that are cast from text. A cast may fail. #}
{% macro cast_columns(dataset) %}
  {{ return(ai_billing.record_columns(dataset) | rejectattr(2, 'equalto', 'text') | list) }}
{% endmacro %}
