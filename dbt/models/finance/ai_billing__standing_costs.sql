-- For each day of costs the readings whose rows stood for the day, one after the other. The confirmed reports tell them. `is_kept`
-- is true if the tables still hold all rows of that reading.
with reports as (
  select
    chains.scope, manifest.account, manifest.base_url, manifest.day, manifest.reading_id, manifest.rows_reading_id,
    manifest.began_at, manifest.standing_rows, manifest.is_covering
  from {{ ref('ai_billing__manifest') }} as manifest
  inner join {{ ref('ai_billing__chains_costs') }} as chains
    on manifest.place = chains.place and manifest.chain = chains.chain
  where manifest.dataset = 'costs' and manifest.inside_window and manifest.is_confirmed and not manifest.is_shrunk
),

statements as (
  select
    scope, day, rows_reading_id,
    max(account) as account,
    max(base_url) as base_url,
    min(began_at) as since,
    max(began_at) as last_seen_at,
    max(standing_rows) as standing_rows,
    min(case when is_covering then reading_id end) as covered_by
  from reports
  group by scope, day, rows_reading_id
),

arrived as (
  select * from {{ ref('ai_billing__arrived_costs') }}
),

weighed as (
  select statements.*, coalesce(arrived.rows_, 0) >= statements.standing_rows as is_kept
  from statements
  left join arrived
    on statements.scope = arrived.scope
    and statements.day = arrived.day
    and statements.rows_reading_id = arrived.reading_id
)

select
  scope, account, base_url, day, rows_reading_id, since, last_seen_at, standing_rows, is_kept,
  lead(since) over (partition by scope, day order by rows_reading_id) as until,
  min(covered_by) over (partition by scope, day) as first_covered_by,
  -- If a complete reading has shown the day before, the rows that are new in a later reading came late.
  coalesce(
    lag(case when is_kept and covered_by is not null then 1 else 0 end) over (partition by scope, day order by rows_reading_id),
    0
  ) = 1 as follows_known_rows
from weighed
