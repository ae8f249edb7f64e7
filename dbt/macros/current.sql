{# The rows that count, with the status of their day. Rows with a value that cannot be cast are in invalid_rows instead. #}
{% macro current_rows(dataset) %}
select
  {%- for name in ai_billing.column_names(dataset) %}
  judged.{{ name }},
  {%- endfor %}
  judged.day,
  judged.account,
  judged.base_url,
  completeness.status as day_status,
  judged.reading_id,
  judged.extracted_at,
  judged.scope
from {{ ai_billing.with_values(ref('ai_billing__judged_' ~ dataset), dataset) }} as judged
left join {{ ref('ai_billing__completeness_' ~ dataset) }} as completeness
  on judged.scope = completeness.scope
  and judged.day = completeness.day
where judged.judge_reading_id is null and judged.is_valid
{% endmacro %}
