-- The records of each reading of which the tables still hold that version.
select scope, day, reading_id, count(distinct record_id) as rows_
from {{ ref('ai_billing__placed_costs') }}
where inside_window
group by scope, day, reading_id
