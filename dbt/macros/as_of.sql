{#
  The cost records that counted at the end of a UTC day in the past. The day is a text such as 2026-11-05. The result shows only
  records that the connector had read by then. `is_history_kept` is false if the tables no longer hold all rows that this day of
  costs had: a sync in dedup mode or a prune removes old rows. In a model or an analysis of your project:

      select * from ({{ ai_billing.costs_as_of('2026-11-05') }}) as costs
#}
{% macro costs_as_of(as_of_day) -%}
  {%- set carried = ['record_id', 'account', 'base_url', 'day', 'month', 'service_provider_name', 'model_id', 'project_id',
    'workspace_id', 'api_key_id', 'invoice_id', 'charge_category', 'cost_status', 'billing_currency', 'billed_cost',
    'effective_cost', 'reading_id'] -%}
  {%- set as_of = "cast('" ~ as_of_day ~ "' as date)" -%}
  select
    {%- for name in carried %}
    versions.{{ name }},
    {%- endfor %}
    coalesce(standing.is_kept, true) as is_history_kept
  from {{ ref('ai_billing__versions_costs') }} as versions
  left join {{ ref('ai_billing__standing_costs') }} as standing
    on versions.scope = standing.scope
    and versions.day = standing.day
    and {{ as_of }} >= cast(standing.since as date)
    and {{ as_of }} < coalesce(cast(standing.until as date), cast('9999-12-31' as date))
  where versions.is_valid
    and {{ as_of }} >= cast(versions.valid_from as date)
    and {{ as_of }} < coalesce(cast(versions.valid_to as date), cast('9999-12-31' as date))
{%- endmacro %}

{# The columns that say to whom a cost belongs. If one of them changes, the money moves to somebody else. #}
{% macro owner_columns() %}
  {{ return(['service_provider_name', 'model_id', 'project_id', 'workspace_id', 'api_key_id', 'billing_currency']) }}
{% endmacro %}
