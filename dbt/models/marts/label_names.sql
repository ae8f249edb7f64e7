-- The projects, workspaces and API keys that have a name or a row: what a report shows for each of them, and on which days its rows begin
-- and end.
{%- set labels = ai_billing.named_labels() %}
with combined as (
  select {{ labels | join(', ') }}, min(day) as first_day, max(day) as last_day
  from {{ ref('current_costs') }}
  where is_counted
  group by {{ labels | join(', ') }}
  union all
  select {{ labels | join(', ') }}, min(day) as first_day, max(day) as last_day
  from {{ ref('current_usage') }}
  group by {{ labels | join(', ') }}
),

seen as (
  {%- for label in labels %}
  select '{{ label }}' as label, {{ label }} as value, min(first_day) as first_seen, max(last_day) as last_seen
  from combined
  where {{ label }} is not null
  group by {{ label }}
  {{- ' union all' if not loop.last }}
  {%- endfor %}
)

select
  coalesce(names.label, seen.label) as label,
  coalesce(names.value, seen.value) as value,
  names.name,
  coalesce(names.shown, seen.value) as shown,
  names.is_archived,
  seen.first_seen,
  seen.last_seen
from {{ ref('ai_billing__names') }} as names
full outer join seen on names.label = seen.label and names.value = seen.value
