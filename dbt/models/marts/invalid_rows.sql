-- Values that cannot be cast exactly, one row for each. Without them their records would count.
with
{%- for dataset in ['usage', 'costs'] %}
{{ dataset }}_rows as (
  select * from {{ ref('ai_billing__judged_' ~ dataset) }} where judge_reading_id is null and not is_valid
),
{% endfor %}
faults as (
  {%- for dataset in ['usage', 'costs'] %}
  {%- set outer_last = loop.last %}
  {%- for raw_name, name, kind in ai_billing.cast_columns(dataset) %}
  select
    '{{ dataset }}' as dataset, account, base_url, day, record_id, reading_id, '{{ raw_name }}' as column_name,
    {{ name }}_text as value,
    {{ "'missing'" if name in ai_billing.required_columns(dataset) else 'null' }} as if_null,
    '{{ 'not an instant with a zone' if kind == 'instant' else 'not a decimal that fits' }}' as if_text
  from {{ dataset }}_rows
  where {{ name }} is null
    {{- ' and ' ~ name ~ '_text is not null' if name not in ai_billing.required_columns(dataset) }}
  {{ 'union all' if not (loop.last and outer_last) }}
  {%- endfor %}
  {%- endfor %}
)

select
  dataset, account, base_url, day, record_id, reading_id, column_name, value,
  case when value is null then if_null else if_text end as reason
from faults
