{# Day by day, what is known of a dataset: which reading decides, whether its rows are what current_* shows, and why not. #}
{% macro completeness_of(dataset) %}
with days as (
  select * from {{ ref('ai_billing__days_' ~ dataset) }} where inside_window
),

rows_ as (
  select reading_id, scope, day, record_id, content_hash
  from {{ ref('ai_billing__rows_' ~ dataset) }}
  where inside_window
),

judged as (
  select
    scope, day, record_id, reading_id, content_hash, is_special, is_valid,
    judge_reading_id is null as is_live
  from {{ ref('ai_billing__judged_' ~ dataset) }}
),

deciders as (
  select
    scope,
    day,
    max(case
      when covered_from <= {{ ai_billing.midnight('day') }} and covered_through >= {{ ai_billing.midnight('day', 1) }}
        then reading_id
    end) as covering_id,
    max(reading_id) as newest_id
  from days
  group by scope, day
),

all_days as (
  select scope, day from deciders
  union
  select scope, day from judged where is_live
),

decided as (
  select
    all_days.scope,
    all_days.day,
    deciders.covering_id is not null as is_covered,
    coalesce(deciders.covering_id, deciders.newest_id) as reading_id
  from all_days
  left join deciders on all_days.scope = deciders.scope and all_days.day = deciders.day
),

-- Each row of the deciding reading, and whether it is what counts today.
own_rows as (
  select
    decided.scope,
    decided.day,
    rows_.record_id,
    max(case when judged.is_live and judged.content_hash = rows_.content_hash then 1 else 0 end) as is_current
  from decided
  inner join rows_
    on decided.reading_id = rows_.reading_id
    and decided.scope = rows_.scope
    and decided.day = rows_.day
  left join judged on rows_.scope = judged.scope and rows_.record_id = judged.record_id
  group by decided.scope, decided.day, rows_.record_id
),

own as (
  select scope, day, sum(1 - is_current) as changed_rows from own_rows group by scope, day
),

-- A reading that began before the deciding one but saw the listing later (resumed after a kill) may know better.
contested as (
  select decided.scope, decided.day, count(*) as contested_rows
  from decided
  inner join days as mine
    on decided.scope = mine.scope and decided.day = mine.day and decided.reading_id = mine.reading_id
  inner join days as other
    on decided.scope = other.scope
    and decided.day = other.day
    and other.reading_id < decided.reading_id
    and other.last_as_of > mine.last_as_of
  inner join rows_ as theirs on other.reading_id = theirs.reading_id and other.day = theirs.day
  left join rows_ as ours
    on decided.reading_id = ours.reading_id
    and theirs.record_id = ours.record_id
    and theirs.content_hash = ours.content_hash
  where ours.record_id is null
  group by decided.scope, decided.day
),

live as (
  select
    judged.scope,
    judged.day,
    count(*) as live_rows,
    sum(case when not judged.is_valid then 1 else 0 end) as invalid_rows,
    -- Rows that the deciding reading did not return: seen later, or long ones that nothing has judged since.
    sum(case
      when own_rows.record_id is null and judged.reading_id > decided.reading_id and not judged.is_special then 1
      else 0
    end) as newer_rows,
    sum(case
      when own_rows.record_id is null and judged.reading_id < decided.reading_id and judged.is_special then 1
      else 0
    end) as unjudged_rows
  from judged
  left join decided on judged.scope = decided.scope and judged.day = decided.day
  left join own_rows
    on judged.scope = own_rows.scope and judged.day = own_rows.day and judged.record_id = own_rows.record_id
  where judged.is_live
  group by judged.scope, judged.day
),

explained as (
  select
    decided.scope,
    decided.day,
    decided.is_covered,
    decided.reading_id,
    days.account,
    days.base_url,
    days.granularity,
    days.covered_from,
    days.covered_through,
    days.began_at,
    days.last_as_of,
    days.records as expected_rows,
    days.arrived_rows,
    coalesce(live.live_rows, 0) as current_rows,
    coalesce(live.invalid_rows, 0) as invalid_rows,
    coalesce(own.changed_rows, 0) + coalesce(live.newer_rows, 0) + coalesce(contested.contested_rows, 0) as changed_rows,
    coalesce(live.unjudged_rows, 0) as unjudged_rows,
    case
      when days.reading_id is null then 'no complete reading of the day has been reported'
      when days.is_moved then 'the listing moved while it was read'
      when days.arrived_rows < days.records then 'rows of the reading are missing'
      when days.arrived_rows > days.records then 'the reading left more rows than it counted'
      when not days.is_whole then 'a record came in two versions'
      when live.invalid_rows > 0 then 'rows cannot be cast, see invalid_rows'
      when coalesce(own.changed_rows, 0) + coalesce(live.newer_rows, 0) + coalesce(contested.contested_rows, 0) > 0
        then 'rows have changed since, seen by a reading that does not prove the day'
      when live.unjudged_rows > 0 then 'rows longer than a day, of zero length or from outside a window are not judged yet'
    end as fault
  from decided
  left join days
    on decided.scope = days.scope and decided.day = days.day and decided.reading_id = days.reading_id
  left join live on decided.scope = live.scope and decided.day = live.day
  left join own on decided.scope = own.scope and decided.day = own.day
  left join contested on decided.scope = contested.scope and decided.day = contested.day
)

select
  '{{ dataset }}' as dataset,
  coalesce(explained.account, scopes.account) as account,
  coalesce(explained.base_url, scopes.base_url) as base_url,
  explained.day,
  case when fault is not null then 'unproven' when is_covered then 'proven' else 'incomplete' end as status,
  coalesce(fault, case when not is_covered then 'no reading covers the whole day' end) as why,
  explained.reading_id,
  explained.granularity,
  explained.began_at as read_at,
  explained.last_as_of as as_of,
  explained.covered_from,
  explained.covered_through,
  explained.expected_rows,
  explained.arrived_rows,
  explained.current_rows,
  explained.invalid_rows,
  explained.changed_rows,
  explained.unjudged_rows,
  explained.scope
from explained
left join (
  select scope, max(account) as account, max(base_url) as base_url from days group by scope
) as scopes on explained.scope = scopes.scope
where explained.day is not null
{% endmacro %}
