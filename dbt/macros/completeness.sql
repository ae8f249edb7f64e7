{# For each day of a dataset: which reading decides, whether current_* shows exactly its rows, and if not, why. #}
{% macro completeness_of(dataset) %}
{%- set stale_days = var('ai_billing_stale_days') -%}
with days as (
  select * from {{ ref('ai_billing__days_' ~ dataset) }}
),

judged as (
  select * from {{ ref('ai_billing__live_' ~ dataset) }}
),

all_days as (
  select distinct scope, day
  from (select scope, day from days union all select scope, day from judged) as named
),

live as (
  select
    judged.scope,
    judged.day,
    cast(sum(judged.rows_) as {{ dbt.type_bigint() }}) as live_rows,
    sum(case when not judged.is_valid then judged.rows_ else 0 end) as invalid_rows,
    sum(case when not judged.is_stray and judged.reading_id > days.reading_id then judged.rows_ else 0 end) as changed_rows,
    -- Rows that the deciding reading may have left out although they still exist. No later reading has listed them.
    sum(case
      when judged.is_stray and (judged.listed_by > days.reading_id or judged.listed_in_pass >= days.pass_began_at) then 0
      when (judged.is_stray or judged.is_long)
        and judged.reading_id <> days.rows_reading_id
        and judged.reading_id < days.reading_id then judged.rows_
      else 0
    end) as unjudged_rows
  from judged
  left join days on judged.scope = days.scope and judged.day = days.day
  group by judged.scope, judged.day
),

-- Strays that are still listed by a reading, but that the table does not hold. A connector that has lost its state does not know the
-- strays of earlier readings: it writes them again, and lists them under new readings. So a group of which no row is left counts no
-- longer once the strays of its day were judged after the last list with this group, or the rows of the day were written in a later pass.
lost_strays as (
  select strays.scope, strays.day, count(*) as lost
  from {{ ref('ai_billing__strays_' ~ dataset) }} as strays
  left join (
    select scope, day, reading_id, sum(rows_) as rows_ from judged where is_stray group by scope, day, reading_id
  ) as held
    on strays.scope = held.scope and strays.day = held.day and strays.reading_id = held.reading_id
  left join {{ ref('ai_billing__counts_' ~ dataset) }} as counts
    on strays.scope = counts.scope
    and strays.day = counts.day
    and strays.reading_id = counts.reading_id
    and not counts.inside_window
  left join days on strays.scope = days.scope and strays.day = days.day
  where strays.judge_reading_id is null
    and strays.chain <> ''
    and coalesce(held.rows_, 0) <> strays.listed_rows
    and (
      counts.rows_ > 0
      or not coalesce(
        days.stray_judge_id > strays.listed_by
        or (days.rows_reading_id > strays.listed_by and days.pass_began_at > strays.listed_in_pass),
        false)
    )
  group by strays.scope, strays.day
),

chains as (
  select * from {{ ref('ai_billing__chains_' ~ dataset) }}
),

readings as (
  select
    chains.scope, manifest.chain, manifest.reading_id, manifest.pass_began_at,
    max(manifest.window_start) as window_start, max(manifest.window_end) as window_end,
    min(manifest.began_at) as began_at, max(manifest.ended_at) as ended_at,
    max(case when manifest.inside_window and manifest.is_shrunk then 1 else 0 end) as has_shrunk,
    max(case when manifest.has_earlier_ended then 1 when not manifest.has_earlier_ended then 0 end) as has_earlier_ended
  from {{ ref('ai_billing__manifest') }} as manifest
  inner join chains on manifest.place = chains.place and manifest.chain = chains.chain
  where manifest.dataset = '{{ dataset }}'
  group by chains.scope, manifest.chain, manifest.reading_id, manifest.pass_began_at
),

removed as (
  select * from {{ ref('ai_billing__removed_' ~ dataset) }}
),

numbers as (
  select
    chains.scope, manifest.day, manifest.reading_id, manifest.rows_reading_id, manifest.standing_rows, manifest.is_moved,
    case
      when manifest.is_shrunk or manifest.is_resumed then 0
      when manifest.is_confirmed then {{ ai_billing.judges_strays('manifest.') }}
      -- A reading of a whole window has noted its strays, also if a day awaits a stray of another window or the window began again.
      when manifest.is_whole_window and not manifest.is_moved then 1
      else 0
    end as judges_strays
  from {{ ref('ai_billing__manifest') }} as manifest
  inner join chains on manifest.place = chains.place and manifest.chain = chains.chain
  where manifest.dataset = '{{ dataset }}' and manifest.inside_window
),

-- The days that had more rows before. A deduplicated table cannot tell a row that was restated from one that is new, so that each
-- restated row may seem to replace a missing one. But if a day has fewer rows than before, not all of them were replaced.
fallen as (
  select distinct replaced.scope, replaced.day, replaced.reading_id, replaced.judge_reading_id
  from (
    select distinct scope, day, reading_id, judge_reading_id from removed where is_replaced and not is_stray
  ) as replaced
  inner join numbers as judge
    on replaced.scope = judge.scope and replaced.day = judge.day and replaced.judge_reading_id = judge.reading_id
  inner join numbers as before_
    on replaced.scope = before_.scope and replaced.day = before_.day and replaced.reading_id = before_.rows_reading_id
  where before_.reading_id < judge.reading_id and judge.standing_rows < before_.standing_rows
),

gone as (
  select removed.scope, removed.day, removed.reading_id, removed.judge_reading_id, removed.is_stray, removed.is_long
  from removed
  left join fallen
    on removed.scope = fallen.scope
    and removed.day = fallen.day
    and removed.reading_id = fallen.reading_id
    and removed.judge_reading_id = fallen.judge_reading_id
  where not removed.is_replaced or (fallen.day is not null and not removed.is_stray)
),

-- The readings that found rows missing: the one that proved it, and earlier ones that wrote the day without the row.
found_missing as (
  select scope, judge_reading_id as reading_id from gone
  union all
  select gone.scope, doubtful.reading_id
  from gone
  inner join chains on gone.scope = chains.scope
  inner join {{ ref('ai_billing__manifest') }} as doubtful
    on chains.place = doubtful.place
    and chains.chain = doubtful.chain
    and gone.day = doubtful.day
    and doubtful.rows_reading_id > gone.reading_id
    and doubtful.reading_id < gone.judge_reading_id
  where doubtful.dataset = '{{ dataset }}'
    and doubtful.inside_window
    and not doubtful.is_confirmed
    and not gone.is_stray
    and not gone.is_long
),

-- A reading that shows less than half of a day misses rows, too. It counts also if a later reading shows the day with all of its rows.
missing as (
  select readings.scope, readings.pass_began_at, readings.reading_id, readings.began_at, readings.ended_at
  from found_missing
  inner join readings on found_missing.scope = readings.scope and found_missing.reading_id = readings.reading_id
  union all
  select scope, pass_began_at, reading_id, began_at, ended_at from readings where has_shrunk = 1
),

-- Such a row may have moved to a day whose own reading, in the same pass, had begun before. A day that goes on is not proven anyway.
-- The ids of readings sort by their beginnings, also if the clock of the provider was put back. Lanes read at once, so a reading with a
-- later id may have begun before the other one ended. One that began before the other one by its clock is of a later process: its clock
-- was put back.
overtaken as (
  select distinct days.scope, days.day
  from days
  inner join missing on days.scope = missing.scope and days.pass_began_at = missing.pass_began_at
  where days.is_covering
    and (
      days.reading_id < missing.reading_id
      or (
        days.reading_id > missing.reading_id
        and days.began_at >= missing.began_at
        and days.began_at < missing.ended_at
      )
    )
),

-- A pass has ended if the next one says so. A pass of an earlier version has ended if any later pass says so.
passes as (
  select
    scope, pass_began_at, tells,
    lead(tells) over (partition by scope order by first_reading_id) as next_tells
  from (
    select scope, pass_began_at, max(has_earlier_ended) as tells, min(reading_id) as first_reading_id
    from readings
    where pass_began_at is not null
    group by scope, pass_began_at
  ) as grouped
),

told as (
  select scope, max(reading_id) as before_ from readings where has_earlier_ended = 1 group by scope
),

ended as (
  select readings.scope, readings.reading_id, readings.window_start, readings.window_end,
    case when passes.tells is null then readings.reading_id < told.before_ else passes.next_tells = 1 end as is_ended
  from readings
  left join passes on readings.scope = passes.scope and readings.pass_began_at = passes.pass_began_at
  left join told on readings.scope = told.scope
),

-- The newest reading of each day that tells of the strays of its whole window, in a pass that has ended. A listing that moved may have
-- skipped a stray, so that two of them are needed.
noted as (
  select scope, day, max(case when not is_moved or age = 2 then reading_id end) as reading_id
  from (
    select
      numbers.scope, numbers.day, numbers.reading_id, numbers.is_moved,
      row_number() over (partition by numbers.scope, numbers.day order by numbers.reading_id desc) as age
    from numbers
    inner join ended on numbers.scope = ended.scope and numbers.reading_id = ended.reading_id
    where ended.is_ended and numbers.judges_strays = 1
  ) as telling
  group by scope, day
),

-- A reading that writes or lists strays may report no day of its window. Other readings of these days do, also in longer windows.
reported_days as (
  select distinct scope, day from numbers
),

-- A connector reads a window before it writes the strays that the window shows. So a stray that a reading no longer lists may come again
-- until the pass of the reading has ended: the provider has restated it, or the connector has lost its state. A pass that was given up
-- never ends: then later passes, which have ended, must have read all days of the reading.
open_judges as (
  select distinct judge.scope, judge.reading_id
  from ended as judge
  left join numbers on judge.scope = numbers.scope and judge.reading_id = numbers.reading_id
  left join reported_days
    on numbers.day is null
    and judge.scope = reported_days.scope
    and cast(judge.window_start as date) <= reported_days.day
    and judge.window_end > cast(reported_days.day as {{ dbt.type_timestamp() }})
  left join noted on judge.scope = noted.scope and noted.day = coalesce(numbers.day, reported_days.day)
  where not coalesce(judge.is_ended, false) and not coalesce(noted.reading_id > judge.reading_id, false)
),

-- A row of a reading that no report names may be a stray, too. A row of the day may seem to replace a stray, because a later process wrote
-- that row again.
coming as (
  select distinct removed.scope, removed.day
  from removed
  inner join open_judges as judge on removed.scope = judge.scope and removed.judge_reading_id = judge.reading_id
  where removed.is_stray or not removed.is_reported
),

mismatches as (
  select scope, day, count(*) as groups_
  from {{ ref('ai_billing__sums_' ~ dataset) }}
  where not is_reconciled
  group by scope, day
),

newest as (
  select scope, max(began_at) as began_at from readings group by scope
),

scopes as (
  select scope, account, base_url, is_disputed from chains group by scope, account, base_url, is_disputed
),

explained as (
  select
    all_days.scope,
    all_days.day,
    days.is_covering,
    days.reading_id,
    days.rows_reading_id,
    days.granularity,
    days.covered_from,
    days.covered_through,
    days.began_at,
    days.last_as_of,
    days.standing_rows as expected_rows,
    days.records as seen_rows,
    days.arrived_rows,
    coalesce(live.live_rows, 0) as current_rows,
    coalesce(live.invalid_rows, 0) as invalid_rows,
    coalesce(live.changed_rows, 0) as changed_rows,
    coalesce(live.unjudged_rows, 0) as unjudged_rows,
    scopes.account,
    scopes.base_url,
    {{ ai_billing.days_between('days.began_at', 'newest.began_at') }} as proof_age_days,
    case
      when scopes.is_disputed
        then 'two accounts, or two connections, write into these tables without a label: set account in each configuration'
      when days.reading_id is null then null
      when days.is_shrunk
        then 'the reading showed less than half of the rows: the earlier ones stand until a later reading shows the same'
      when days.is_moved and not days.is_confirmed then 'the listing moved while it was read'
      when not days.is_confirmed then 'the reading was interrupted: the next sync reads the day again'
      when days.arrived_rows < days.standing_rows then 'rows of the reading are missing'
      when days.arrived_rows > days.standing_rows then 'the reading left more rows than it counted'
      when lost_strays.lost > 0 then 'rows from outside the window of a reading are missing'
      when days.totals is null then 'the reading has no control totals: an amount is no exact decimal'
      when live.invalid_rows > 0 then 'values of rows cannot be used in sums, see invalid_rows'
      when live.changed_rows > 0 then 'rows have changed since, seen by a reading that does not prove the day'
      when mismatches.groups_ > 0 then 'the rows do not add up to the control totals of the reading'
      when live.unjudged_rows > 0 then 'rows longer than a day or from outside a window are not judged yet'
      when coming.day is not null
        then 'a row that may be from outside the window of a reading is gone, or is still to be written: the next pass of the connector tells'
      when overtaken.day is not null
        then 'a row that was found missing on another day may have moved to this one after it was read'
    end as fault
  from all_days
  left join days on all_days.scope = days.scope and all_days.day = days.day
  left join live on all_days.scope = live.scope and all_days.day = live.day
  left join lost_strays on all_days.scope = lost_strays.scope and all_days.day = lost_strays.day
  left join coming on all_days.scope = coming.scope and all_days.day = coming.day
  left join mismatches on all_days.scope = mismatches.scope and all_days.day = mismatches.day
  left join overtaken on all_days.scope = overtaken.scope and all_days.day = overtaken.day
  left join newest on all_days.scope = newest.scope
  left join scopes on all_days.scope = scopes.scope
  where all_days.day is not null
)

select
  '{{ dataset }}' as dataset,
  account,
  base_url,
  day,
  case when fault is not null then 'unproven' when coalesce(is_covering, false) then 'proven' else 'incomplete' end as status,
  coalesce(
    fault,
    case
      when reading_id is null then 'no complete reading of the day has been reported'
      when not is_covering then 'no reading covers the whole day'
    end
  ) as why,
  reading_id,
  rows_reading_id,
  granularity,
  began_at as read_at,
  last_as_of as as_of,
  proof_age_days,
  coalesce(proof_age_days > {{ stale_days }}, false) as is_stale,
  covered_from,
  covered_through,
  expected_rows,
  seen_rows,
  arrived_rows,
  current_rows,
  invalid_rows,
  changed_rows,
  unjudged_rows,
  scope
from explained
{% endmacro %}

{# The common status of two sides: the one that is further from `proven`. A side without rows does not count. #}
{% macro worst_status(one, other) -%}
  case
    when coalesce({{ one }}, 'proven') = 'proven' and coalesce({{ other }}, 'proven') = 'proven' then 'proven'
    when 'unproven' in ({{ one }}, {{ other }}) then 'unproven'
    else 'incomplete'
  end
{%- endmacro %}

{# The worst status of several rows. #}
{% macro worst_of(status) -%}
  case max(case {{ status }} when 'unproven' then 2 when 'incomplete' then 1 else 0 end)
    when 2 then 'unproven' when 1 then 'incomplete' else 'proven' end
{%- endmacro %}
