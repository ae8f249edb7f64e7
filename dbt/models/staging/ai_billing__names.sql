-- The name of each project, workspace and API key today. `shown` is the name, with the id behind it if another value of the label
-- could be taken for this one: two keys may have one name, and a name may be the id of another key, or a name and an id.
{%- if var('ai_billing_labels') %}
with typed as (
  select
    {{ dbt.concat([ai_billing.as_text(ai_billing.raw_column('label')), "'_id'"]) }} as label,
    {{ ai_billing.as_text(ai_billing.raw_column('value')) }} as value,
    nullif(trim({{ ai_billing.as_text(ai_billing.raw_column('name')) }}), '') as name,
    cast({{ ai_billing.raw_column('is_archived') }} as boolean) as is_archived,
    {{ ai_billing.to_utc(ai_billing.raw_column('read_at')) }} as read_at,
    {{ ai_billing.to_utc(ai_billing.raw_column('_airbyte_extracted_at')) }} as extracted_at
  from {{ source('ai_billing', 'labels') }}
),

numbered as (
  select typed.*, row_number() over (partition by label, value order by read_at desc, extracted_at desc) as age
  from typed
  where label in ({{ "'" ~ ai_billing.named_labels() | join("', '") ~ "'" }}) and value is not null and read_at is not null
),

newest as (
  select
    label, value, name, is_archived,
    count(*) over (partition by label, name) as same_named,
    case when value not like '%(%' then {{ dbt.concat(['name', "' ('", 'value', "')'"]) }} end as with_id
  from numbered
  where age = 1
)

select
  newest.label, newest.value, newest.name, newest.is_archived,
  case
    when newest.with_id is null then newest.value
    when newest.same_named > 1 or as_id.value is not null or as_both.value is not null then newest.with_id
    else newest.name
  end as shown
from newest
left join newest as as_id on newest.label = as_id.label and newest.name = as_id.value and newest.value <> as_id.value
left join newest as as_both on newest.label = as_both.label and newest.name = as_both.with_id
{%- else %}
select
  {%- for column in ['label', 'value', 'name', 'shown'] %}
  cast(null as {{ dbt.type_string() }}) as {{ column }},
  {%- endfor %}
  cast(null as boolean) as is_archived
from (select 1 as one) as nothing
where 1 = 0
{%- endif %}
