-- Every version of every cost record that the tables hold, with the time in which it counted. A version counts from the start of the
-- reading that first returned it, to the start of the reading that returned another version or found the record missing.
{%- set owners = ai_billing.owner_columns() %}
{%- set replacing = var('ai_billing_corrections') == 'replacing' %}
{%- set carried = ['place', 'scope', 'account', 'base_url', 'record_id', 'reading_id', 'record_updated_at', 'age', 'day', 'is_valid',
  'content_hash'] + owners + ['billing_period_start', 'invoice_id', 'charge_category', 'cost_status', 'corrects_record_id', 'billed_cost', 'effective_cost'] %}
with readings as (
  select reading_id, max(began_at) as began_at
  from {{ ref('ai_billing__manifest') }}
  where dataset = 'costs'
  group by reading_id
),

placed as (
  select
    {%- for name in carried %}
    placed.{{ name }},
    {%- endfor %}
    placed.inside_window and placed.charge_period_end <= {{ ai_billing.midnight('placed.day', 1) }} as is_judged_by_day,
    coalesce(readings.began_at, placed.extracted_at) as valid_from
  from {{ ai_billing.with_values(ref('ai_billing__placed_costs'), 'costs') }} as placed
  left join readings on placed.reading_id = readings.reading_id
),

-- `older_reading_id` or `newest_record_id` is null. So each row joins by one of them only, and a database can join by hash.
ordered as (
  select
    placed.*,
    case when age > 1 then reading_id end as older_reading_id,
    case when age = 1 then record_id end as newest_record_id,
    lead(valid_from) over (partition by place, record_id order by age desc) as next_from,
    lag(content_hash) over (partition by place, record_id order by age desc) as content_hash_before
  from placed
),

-- The provider may have withdrawn a record and shown a newer version of it later. The older version then ended when it was missing.
missing as (
  select older.scope, older.day, older.reading_id, min(standing.since) as missing_since
  from (
    select distinct scope, day, reading_id from placed where age > 1 and is_judged_by_day
  ) as older
  inner join {{ ref('ai_billing__standing_costs') }} as standing
    on older.scope = standing.scope and older.day = standing.day and standing.rows_reading_id > older.reading_id
  group by older.scope, older.day, older.reading_id
),

removed as (
  select removed.scope, removed.record_id, readings.began_at as removed_at
  from {{ ref('ai_billing__removed_costs') }} as removed
  inner join readings on removed.judge_reading_id = readings.reading_id
)
{%- if replacing %},

first_found as (
  select scope, record_id, min(valid_from) as valid_from from placed group by scope, record_id
),

replaced as (
  select counted.scope, counted.record_id, first_found.valid_from as replaced_at
  from {{ ref('current_costs') }} as counted
  inner join first_found on counted.scope = first_found.scope and counted.replaced_by = first_found.record_id
)
{%- endif %},

ended as (
  select
    ordered.*,
    {%- if replacing %}
    replaced.replaced_at,
    {%- endif %}
    case
      when ordered.age = 1 then removed.removed_at
      when ordered.is_judged_by_day and missing.missing_since < ordered.next_from then missing.missing_since
      else ordered.next_from
    end as gone_at
  from ordered
  left join missing
    on ordered.scope = missing.scope
    and ordered.day = missing.day
    and ordered.older_reading_id = missing.reading_id
  left join removed on ordered.scope = removed.scope and ordered.newest_record_id = removed.record_id
  {%- if replacing %}
  left join replaced on ordered.scope = replaced.scope and ordered.record_id = replaced.record_id
  {%- endif %}
)

select
  {{ carried | join(',\n  ') }},
  {{ ai_billing.month_of('day') }} as month,
  content_hash_before,
  valid_from,
  {% if replacing -%}
  case when replaced_at < gone_at or gone_at is null then coalesce(replaced_at, gone_at) else gone_at end as valid_to
  {%- else -%}
  gone_at as valid_to
  {%- endif %}
from ended
