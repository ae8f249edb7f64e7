-- Changes of costs after a complete reading of their day, each with the time at which the connector found it. A day in progress has
-- no changes. `amount_change` is always `amount` less `amount_before`, so that changes add up.
{%- set owners = ai_billing.owner_columns() %}
{%- set replacing = var('ai_billing_corrections') == 'replacing' %}
{%- set zero = 'cast(0 as ' ~ ai_billing.type_decimal() ~ ')' %}
{%- set nothing = 'cast(null as ' ~ dbt.type_string() ~ ')' %}
{%- set own = ['scope', 'account', 'base_url', 'record_id', 'day', 'corrects_record_id', 'invoice_id'] + owners %}
{%- set found = ['valid_from', 'reading_id'] %}
with versions as (
  select * from {{ ref('ai_billing__versions_costs') }} where is_valid
),

standing as (
  select * from {{ ref('ai_billing__standing_costs') }}
),

-- The first reading that covered each day as a whole.
first_covered as (
  select scope, day, min(first_covered_by) as reading_id from standing where first_covered_by is not null group by scope, day
),

-- The first known version of each record.
first_versions as (
  select * from versions where content_hash_before is null
),

changed as (
  select * from versions where content_hash <> content_hash_before
),

pairs as (
  select
    changed.*,
    older.day as day_before, older.billed_cost as billed_cost_before,
    {%- for name in owners %}
    older.{{ name }} as {{ name }}_before,
    {%- endfor %}
    changed.day = older.day
      and {{ ai_billing.key_of(owners, 'changed.') }} = {{ ai_billing.key_of(owners, 'older.') }} as is_same_owner
  from changed
  inner join versions as older
    on changed.place = older.place and changed.record_id = older.record_id and changed.age + 1 = older.age
),

-- If a record moves to another day or owner, the amount leaves the old one and comes to the new one.
restated as (
  select {{ (own + found) | join(', ') }}, billed_cost_before as amount_before, billed_cost as amount
  from pairs
  where is_same_owner
  union all
  select {{ (own + found) | join(', ') }}, {{ zero }}, billed_cost from pairs where not is_same_owner
  union all
  select
    scope, account, base_url, record_id, day_before, corrects_record_id, invoice_id,
    {%- for name in owners %} {{ name }}_before,{% endfor %} {{ found | join(', ') }}, billed_cost_before, {{ zero }}
  from pairs
  where not is_same_owner
),

-- A table in dedup mode does not keep the time of a record's first version. There a record replaces a removed one only if the
-- provider updated it after the last reading that still showed the removed one.
removed as (
  select
    removed.scope, removed.record_id, removed.judge_reading_id,
    case when coming.follows_known_rows or newer.record_updated_at > standing.last_seen_at
      then newer.record_id end as replaced_by_record_id,
    newer.billed_cost as replacement_cost
  from {{ ref('ai_billing__removed_costs') }} as removed
  inner join first_covered
    on removed.scope = first_covered.scope
    and removed.day = first_covered.day
    and removed.judge_reading_id > first_covered.reading_id
  left join standing
    on removed.scope = standing.scope and removed.day = standing.day and removed.reading_id = standing.rows_reading_id
  left join first_versions as newer
    on removed.scope = newer.scope and removed.replaced_by_record_id = newer.record_id
  left join standing as coming
    on newer.scope = coming.scope and newer.day = coming.day and newer.reading_id = coming.rows_reading_id
  where removed.is_valid
),

gone as (
  select
    {%- for name in own %}
    older.{{ name }},
    {%- endfor %}
    older.valid_to as valid_from, removed.judge_reading_id as reading_id, removed.replaced_by_record_id,
    older.billed_cost as amount_before,
    case when removed.replaced_by_record_id is null then {{ zero }} else removed.replacement_cost end as amount
  from removed
  inner join versions as older
    on removed.scope = older.scope and removed.record_id = older.record_id and older.age = 1
),

late as (
  select
    {%- for name in own + found %}
    first_versions.{{ name }},
    {%- endfor %}
    {{ zero }} as amount_before, first_versions.billed_cost as amount
  from first_versions
  inner join standing
    on first_versions.scope = standing.scope
    and first_versions.day = standing.day
    and first_versions.reading_id = standing.rows_reading_id
    and standing.follows_known_rows
  left join removed
    on first_versions.scope = removed.scope and first_versions.record_id = removed.replaced_by_record_id
  where removed.record_id is null and first_versions.corrects_record_id is null
),

-- The original of each correction as it was when the correction came. Times of readings may step back, so several versions may have
-- counted then: the newest one is taken.
originals_then as (
  select scope, record_id, day, billed_cost
  from (
    select
      correction.scope, correction.record_id, original.day, original.billed_cost,
      row_number() over (partition by correction.scope, correction.record_id order by original.reading_id desc) as number_
    from first_versions as correction
    inner join versions as original
      on correction.scope = original.scope
      and correction.corrects_record_id = original.record_id
      and correction.billing_currency = original.billing_currency
      and correction.valid_from >= original.valid_from
      and (correction.valid_from < original.valid_to or original.valid_to is null)
  ) as numbered
  where number_ = 1
),

-- The amount before a correction is that of its original, as it was then, and of the earlier corrections of the same record. `shown_day` is
-- the day that it changes: that of its original, or its own if the original is not known. A table in dedup mode knows the original only as
-- it is now.
corrections as (
  select
    {%- for name in own + found %}
    correction.{{ name }},
    {%- endfor %}
    coalesce(original_then.day, original.day, correction.day) as shown_day,
    correction.billed_cost, coalesce(original_then.billed_cost, original.billed_cost, {{ zero }}) as original_cost,
    row_number() over (
      partition by correction.scope, correction.corrects_record_id order by correction.reading_id, correction.record_id
    ) as number_,
    sum(correction.billed_cost) over (
      partition by correction.scope, correction.corrects_record_id order by correction.reading_id, correction.record_id
      rows between unbounded preceding and current row
    ) as corrected_cost
  from first_versions as correction
  left join originals_then as original_then
    on correction.scope = original_then.scope and correction.record_id = original_then.record_id
  left join {{ ref('current_costs') }} as original
    on correction.scope = original.scope
    and correction.corrects_record_id = original.record_id
    and correction.billing_currency = original.billing_currency
    {%- if replacing %}
    and not original.is_counted
    {%- endif %}
  where correction.corrects_record_id is not null
),

-- A correction that came with the first complete reading of the day is no change: nothing else was ever shown. A correction that has taken
-- the place of a removed record is told with that record.
corrected as (
  select
    {%- for name in own + found %}
    corrections.{{ name }},
    {%- endfor %}
    {%- if replacing %}
    -- The first correction stands in the place of the original.
    case when number_ = 1 then original_cost else {{ zero }} end as amount_before, billed_cost as amount
    {%- else %}
    original_cost + corrected_cost - billed_cost as amount_before, original_cost + corrected_cost as amount
    {%- endif %}
  from corrections
  inner join first_covered
    on corrections.scope = first_covered.scope
    and corrections.shown_day = first_covered.day
    and corrections.reading_id > first_covered.reading_id
  left join removed
    on corrections.scope = removed.scope and corrections.record_id = removed.replaced_by_record_id
  where removed.record_id is null
),

changes as (
  select
    'restated' as kind, {{ nothing }} as replaced_by_record_id,
    {%- for name in own + found + ['amount_before', 'amount'] %}
    restated.{{ name }}{{ ',' if not loop.last }}
    {%- endfor %}
  from restated
  inner join first_covered
    on restated.scope = first_covered.scope
    and restated.day = first_covered.day
    and restated.reading_id > first_covered.reading_id
  where restated.amount <> restated.amount_before
  union all
  select
    case when replaced_by_record_id is null then 'removed' else 'reissued' end, replaced_by_record_id,
    {{ (own + found) | join(', ') }}, amount_before, amount
  from gone
  union all
  select 'late', {{ nothing }}, {{ (own + found) | join(', ') }}, amount_before, amount from late
  union all
  select 'corrected', {{ nothing }}, {{ (own + found) | join(', ') }}, amount_before, amount from corrected
)

select
  valid_from as found_at, kind, 'costs' as dataset, account, base_url, day,
  {{ ai_billing.month_of('day') }} as month,
  record_id, replaced_by_record_id, corrects_record_id, {{ owners | join(', ') }}, invoice_id,
  amount_before, amount,
  amount - amount_before as amount_change,
  reading_id
from changes
