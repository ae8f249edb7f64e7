{{ config(materialized='view') }}
-- For each cost record: since when the provider has shown it as it is now (`found_at`), and when it was found missing (`gone_at`). A day
-- is written again as a whole if one of its records has changed. So the newest version of a record may be no change of it. A table in
-- dedup mode knows only the newest version.
{%- set facts = ai_billing.owner_columns() + ['day', 'billing_period_start', 'invoice_id', 'charge_category', 'cost_status',
  ai_billing.amount_digits('billed_cost')] %}
with versions as (
  select place, record_id, age, valid_from, valid_to, {{ ai_billing.key_of(facts) }} as facts
  from {{ ref('ai_billing__versions_costs') }}
  where is_valid
),

compared as (
  select
    versions.*,
    lag(facts) over (partition by place, record_id order by age desc) as facts_before,
    lag(valid_to) over (partition by place, record_id order by age desc) as ended_before
  from versions
)

select
  place, record_id,
  max(case when facts_before = facts and ended_before >= valid_from then null else valid_from end) as found_at,
  max(case when age = 1 then valid_to end) as gone_at
from compared
group by place, record_id
