-- The known days of costs, one row for each account, address and day. A day is complete if a reading covers all of it.
-- `through_day` is the newest complete day: comparisons end there. Without any complete day it is the newest known day.
with days as (
  select
    {{ ai_billing.place_of('base_url', 'account') }} as place,
    max(account) as account,
    max(base_url) as base_url,
    day,
    max(case status when 'unproven' then 2 when 'incomplete' then 1 else 0 end) as rank_,
    max(case when status <> 'incomplete' and covered_through >= {{ ai_billing.midnight('day', 1) }} then 1 else 0 end) as complete,
    max(invalid_rows) as invalid_rows
  from {{ ref('ai_billing__completeness_costs') }}
  group by {{ ai_billing.place_of('base_url', 'account') }}, day
)

select
  place, account, base_url, day,
  {{ ai_billing.month_of('day') }} as month,
  case rank_ when 2 then 'unproven' when 1 then 'incomplete' else 'proven' end as day_status,
  complete = 1 as is_complete,
  invalid_rows > 0 as has_invalid_rows,
  coalesce(
    max(case when complete = 1 then day end) over (partition by place),
    max(day) over (partition by place)
  ) as through_day
from days
