-- Values that cannot be cast or summed exactly, one row for each. Their records are in no sum. A record without them would count.
with
{%- for dataset in ['usage', 'costs'] %}
{{ dataset }}_rows as (
  select * from {{ ai_billing.with_values(ref('ai_billing__judged_' ~ dataset), dataset) }} as judged where judge_reading_id is null and not is_valid
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
    {% if kind == 'instant' -%}
    'not an instant with a zone'
    {%- else -%}
    case when {{ ai_billing.matches(name ~ '_text', '-?(0|[1-9][0-9]*)([.][0-9]{1,18}0*)?') }}
      then 'too large to be summed' else 'not a decimal that fits' end
    {%- endif %} as if_text,
    {{ 'billing_currency' if dataset == 'costs' else 'cast(null as ' ~ dbt.type_string() ~ ')' }} as billing_currency,
    {{ 'cast(billing_period_start as date)' if dataset == 'costs' else 'cast(null as date)' }} as billing_month
  from {{ dataset }}_rows
  where {{ name }} is null
    {{- ' and ' ~ name ~ '_text is not null' if name not in ai_billing.required_columns(dataset) }}
  {{ 'union all' if not (loop.last and outer_last) }}
  {%- endfor %}
  {%- endfor %}
)

select
  dataset, account, base_url, day, record_id, reading_id, column_name, value,
  case when value is null then if_null else if_text end as reason,
  billing_currency, billing_month
from faults
