{# The manifest beside what has arrived: `is_whole` where the table holds all that the reading returned for the day, and the
   listing stood still while it was read. #}
{% macro reading_days_of(dataset) %}
with arrived as (
  select
    reading_id,
    day,
    inside_window,
    count(*) as arrived_rows,
    count(distinct record_id) as arrived_ids
  from {{ ref('ai_billing__rows_' ~ dataset) }}
  where is_reported
  group by reading_id, day, inside_window
)

select
  manifest.*,
  coalesce(arrived.arrived_rows, 0) as arrived_rows,
  coalesce(arrived.arrived_ids, 0) as arrived_ids,
  -- A record that came in two versions may have changed in between; which of them counts is a guess.
  coalesce(
    not manifest.is_moved
    and coalesce(arrived.arrived_rows, 0) = manifest.records
    and coalesce(arrived.arrived_ids, 0) = manifest.records,
    false) as is_whole
from {{ ref('ai_billing__manifest') }} as manifest
left join arrived
  on manifest.reading_id = arrived.reading_id
  and manifest.day = arrived.day
  and manifest.inside_window = arrived.inside_window
where manifest.dataset = '{{ dataset }}'
{% endmacro %}
