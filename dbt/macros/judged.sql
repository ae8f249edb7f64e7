{#
  The newest version of each record, and the reading that judges it to be gone, if any.

  A reading whose listing stood still, and of which every row of the day has arrived, has said all that there was: a
  row that it could have returned and did not is gone (`judge_reading_id`). What it could have returned:

    - ordinary rows, that lie within their UTC day and were seen inside their window: where their start is covered. Beyond
      what any such reading covers, where the newest one asked.
    - rows longer than their day, of zero length, or seen outside their window, of which providers return now more and
      now fewer (they select by start, overlap or containment): where its window contains the one that returned them last.
      Not where that is a window that returned them earlier: of what several windows of one sync return, one emits it.
#}
{% macro judged_rows(dataset) %}
with rows_ as (
  select * from {{ ref('ai_billing__rows_' ~ dataset) }}
),

numbered as (
  select
    rows_.*,
    row_number() over (
      partition by scope, record_id
      order by reading_id desc, extracted_at desc, record_updated_at desc, content_hash desc
    ) as age
  from rows_
),

newest as (
  select
    numbered.*,
    coalesce(
      charge_period_end <= charge_period_start
      or charge_period_end > {{ ai_billing.midnight('day', 1) }}
      or (is_reported and not inside_window),
      true) as is_special
  from numbered
  where age = 1
),

days as (
  select * from {{ ref('ai_billing__days_' ~ dataset) }}
),

-- What each reading may judge of a day, the covered part first, and of these only what no later one judges as well.
reaches as (
  select
    scope, day, reading_id, 1 as rank_, covered_from as from_, covered_through as through_
  from days
  where is_whole and inside_window and covered_from is not null
  union all
  select
    scope, day, reading_id, 2,
    case when window_start > {{ ai_billing.midnight('day') }} then window_start else {{ ai_billing.midnight('day') }} end,
    case when window_end < {{ ai_billing.midnight('day', 1) }} then window_end else {{ ai_billing.midnight('day', 1) }} end
  from days
  where is_whole and inside_window
),

judges as (
  select *
  from reaches
  where not exists (
    select 1
    from reaches as later
    where later.scope = reaches.scope
      and later.day = reaches.day
      and later.rank_ = reaches.rank_
      and later.reading_id > reaches.reading_id
      and later.from_ <= reaches.from_
      and later.through_ >= reaches.through_
  )
),

starts as (
  select distinct scope, day, charge_period_start from newest where not is_special
),

ordinary_verdicts as (
  select
    starts.scope,
    starts.charge_period_start,
    coalesce(
      max(case when judges.rank_ = 1 then judges.reading_id end),
      max(judges.reading_id)
    ) as reading_id
  from starts
  inner join judges
    on starts.scope = judges.scope
    and starts.day = judges.day
    and starts.charge_period_start >= judges.from_
    and starts.charge_period_start < judges.through_
  group by starts.scope, starts.charge_period_start
),

-- A row of nobody knows whose account is gone where it is gone from each of them.
unplaced_verdicts as (
  select charge_period_start, min(reading_id) as reading_id
  from (
    select starts.charge_period_start, judges.scope, max(judges.reading_id) as reading_id
    from starts
    inner join judges
      on starts.day = judges.day
      and starts.charge_period_start >= judges.from_
      and starts.charge_period_start < judges.through_
    where starts.scope = ''
    group by starts.charge_period_start, judges.scope
  ) as of_account
  group by charge_period_start
  having count(*) = (select count(distinct scope) from days)
),

special_starts as (
  select distinct scope, day, charge_period_start, reading_id, window_start, window_end
  from newest
  where is_special and is_reported
),

readings as (
  select scope, reading_id, window_start, window_end, is_moved
  from days
  group by scope, reading_id, window_start, window_end, is_moved
),

-- Whether the reading that returned a row covers its start: what proved it before is not undone by one that proves less.
special_verdicts as (
  select
    s.scope,
    s.charge_period_start,
    s.reading_id as returned_by,
    max(judge.reading_id) as reading_id
  from special_starts as s
  inner join readings as judge
    on s.scope = judge.scope
    and judge.reading_id > s.reading_id
    and judge.window_start <= s.window_start
    and judge.window_end >= s.window_end
    and not judge.is_moved
  left join days as of_judge
    on judge.reading_id = of_judge.reading_id
    and judge.scope = of_judge.scope
    and s.day = of_judge.day
    and of_judge.inside_window
      = (s.charge_period_start >= judge.window_start and s.charge_period_start < judge.window_end)
  left join days as of_row
    on s.reading_id = of_row.reading_id
    and s.scope = of_row.scope
    and s.day = of_row.day
    and of_row.inside_window
  where case
      when of_judge.reading_id is null
        then not (s.charge_period_start >= judge.window_start and s.charge_period_start < judge.window_end)
      when not of_judge.is_whole then false
      when not of_judge.inside_window then true
      when s.charge_period_start >= of_judge.covered_from
        and s.charge_period_start < of_judge.covered_through then true
      else not coalesce(
        s.charge_period_start >= of_row.covered_from and s.charge_period_start < of_row.covered_through, false)
    end
  group by s.scope, s.charge_period_start, s.reading_id
)

select
  newest.*,
  case
    when newest.is_special then special_verdicts.reading_id
    when ordinary_verdicts.reading_id > newest.reading_id then ordinary_verdicts.reading_id
    when unplaced_verdicts.reading_id > newest.reading_id then unplaced_verdicts.reading_id
  end as judge_reading_id
from newest
left join ordinary_verdicts
  on not newest.is_special
  and newest.scope = ordinary_verdicts.scope
  and newest.charge_period_start = ordinary_verdicts.charge_period_start
left join unplaced_verdicts
  on not newest.is_special
  and newest.scope = ''
  and newest.charge_period_start = unplaced_verdicts.charge_period_start
left join special_verdicts
  on newest.is_special
  and newest.scope = special_verdicts.scope
  and newest.charge_period_start = special_verdicts.charge_period_start
  and newest.reading_id = special_verdicts.returned_by
{% endmacro %}
