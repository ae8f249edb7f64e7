{# The columns that say what a record is about, without its amounts. If they agree, one record may have replaced the other. #}
{% macro label_columns(dataset) %}
  {{ return(['charge_period_start', 'charge_period_end', 'service_provider_name', 'service_name', 'sku_id', 'sku_meter']
    + ai_billing.labels(dataset) + ['usage_type']
    + (['consumed_unit'] if dataset == 'usage' else ['charge_category', 'billing_currency'])) }}
{% endmacro %}

{#
  The rows that the tables hold and the provider no longer shows. The provider may have issued a record again under another id. Then
  `replaced_by_record_id` names the new one: the first later record with the same period, labels and currency and a newer
  x_RecordUpdatedAt. If several could be meant, it is null. `is_replaced` is true if at least as many such records came as went:
  then none of them has moved to another day.
#}
{% macro removed_of(dataset) %}
{%- set labels = ai_billing.label_columns(dataset) -%}
{%- set keys = ['scope', 'day'] + labels -%}
with judged as (
  select * from {{ ref('ai_billing__judged_' ~ dataset) }}
),

removed as (
  select * from {{ ai_billing.with_values('judged', dataset) }} as rows_ where judge_reading_id is not null
),

days as (
  select distinct scope, day from removed
),

-- The first reading of each record. In a deduplicated table it is that of the newest version, because older ones are gone.
later as (
  select placed.scope, placed.record_id, min(placed.reading_id) as first_reading_id
  from {{ ref('ai_billing__placed_' ~ dataset) }} as placed
  inner join (
    select distinct judged.place, judged.record_id
    from judged
    inner join days on judged.scope = days.scope and judged.day = days.day
  ) as near_ on placed.place = near_.place and placed.record_id = near_.record_id
  group by placed.scope, placed.record_id
),

keyed as (
  select
    rows_.scope, rows_.day, rows_.record_id, rows_.reading_id, rows_.record_updated_at, rows_.judge_reading_id,
    later.first_reading_id,
    {{ ai_billing.key_of(labels, 'rows_.') }} as label_key
  from {{ ai_billing.with_values('judged', dataset) }} as rows_
  inner join days on rows_.scope = days.scope and rows_.day = days.day
  inner join later on rows_.scope = later.scope and rows_.record_id = later.record_id
),

gone as (
  select
    keyed.*,
    count(*) over (partition by scope, day, label_key, judge_reading_id) as gone_together
  from keyed
  where judge_reading_id is not null
),

pairs as (
  select
    gone.scope, gone.record_id, gone.gone_together, new_.record_id as replaced_by,
    rank() over (partition by gone.scope, gone.record_id order by new_.first_reading_id) as rank_
  from gone
  inner join keyed as new_
    on gone.scope = new_.scope
    and gone.day = new_.day
    and gone.label_key = new_.label_key
    and new_.first_reading_id > gone.reading_id
    and new_.record_updated_at > gone.record_updated_at
    and gone.record_id <> new_.record_id
),

first_pairs as (
  select
    pairs.*,
    count(*) over (partition by scope, record_id) as candidates,
    count(*) over (partition by scope, replaced_by) as candidate_for
  from pairs
  where rank_ = 1
),

links as (
  select
    scope, record_id,
    max(case when candidates = 1 and candidate_for = 1 then replaced_by end) as replaced_by_record_id,
    max(case when candidates >= gone_together then 1 else 0 end) as is_replaced
  from first_pairs
  group by scope, record_id
)

select
  removed.*,
  links.replaced_by_record_id,
  coalesce(links.is_replaced, 0) = 1 as is_replaced
from removed
left join links on removed.scope = links.scope and removed.record_id = links.record_id
{% endmacro %}

{# Several columns as one text, to join and to group by. In it null equals null, and a database can join by hash. #}
{% macro key_of(columns, prefix='') -%}
  {%- set parts = [] -%}
  {%- for column in columns -%}
    {%- set text = ai_billing.as_text(prefix ~ column) -%}
    {%- do parts.append("coalesce(" ~ dbt.concat([ai_billing.as_text(dbt.length(text)), "':'", text]) ~ ", '-')") -%}
    {%- do parts.append("'|'") if not loop.last -%}
  {%- endfor -%}
  {{ ai_billing.joined(parts) }}
{%- endmacro %}

{# Whether two rows have the same values in some columns; null equals null. The condition of a join by hash. #}
{% macro same_values(columns, one, other) %}{{ return(adapter.dispatch('same_values', 'ai_billing')(columns, one, other)) }}{% endmacro %}
{% macro default__same_values(columns, one, other) -%}
  {{ ai_billing.key_of(columns, one ~ '.') }} = {{ ai_billing.key_of(columns, other ~ '.') }}
{%- endmacro %}
{% macro duckdb__same_values(columns, one, other) -%}
  {%- for name in columns -%}
  {{ one }}.{{ name }} is not distinct from {{ other }}.{{ name }}{{ ' and ' if not loop.last }}
  {%- endfor -%}
{%- endmacro %}
