-- The team of each key, project and workspace. If the input gives several teams for one value, the value has no team: see invalid_inputs.
select label, value, max(team) as team
from (
  {{ ai_billing.input_rows('teams') }}
) as given
where label in ('api_key_id', 'project_id', 'workspace_id') and value is not null and team is not null
group by label, value
having count(distinct team) = 1
