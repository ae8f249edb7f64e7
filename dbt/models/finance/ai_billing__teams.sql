-- The team of each key, project and workspace, and the days on which it is the team: from `first_day` to the day before `end_day`. No
-- two rows of a value share a day. A day that several teams claim has no team: see team_map_findings and invalid_inputs.
with claims as (
  {{ ai_billing.team_claims() }}
)

select label, value, first_day, end_day, team
from (
  {{ ai_billing.team_spans('claims') }}
) as spans
where teams = 1
