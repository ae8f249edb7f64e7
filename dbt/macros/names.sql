{# The labels whose values have names. #}
{% macro named_labels() %}{{ return(['project_id', 'workspace_id', 'api_key_id']) }}{% endmacro %}

{# The column that shows the values of a label: project_name for project_id. #}
{% macro name_column(label) %}{{ return(label[:-3] ~ '_name') }}{% endmacro %}
