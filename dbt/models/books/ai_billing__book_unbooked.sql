{{ config(materialized='view') }}
-- What the costs of closed months are more or less than the books say, record by record: the entries that the next close of the view
-- books for these months. A certain difference is an adjustment, any other an accrual.
{%- set owners = ai_billing.record_owners() %}
{%- set keys = ['book_view', 'month', 'close_id', 'record_id'] + owners %}
{%- set text = dbt.type_string() %}
{%- set place = ai_billing.place_of('base_url', 'account') %}
with entries as (
  select entries.*, {{ place }} as place from {{ ref('ai_billing__book_entries') }} as entries
),

costs as (
  select * from {{ ref('ai_billing__book_costs') }} where close_id is not null
),

booked as (
  select * from entries
  where kind in ('actual', 'adjustment') and reason <> 'reopened' and not is_void and record_id is not null
),

open_accruals as (
  select * from entries where is_open_accrual
),

sides as (
  select
    booked.book_view, booked.month, months.close_id, booked.record_id, {{ owners | join(', ') }},
    booked.amount as booked_amount, {{ ai_billing.zero() }} as amount, 1 as is_booked, 0 as is_found, booked.team as booked_team,
    cast(null as {{ text }}) as found_team, booked.day as booked_day, cast(null as date) as found_day,
    cast(null as {{ text }}) as uncertainty, cast(null as {{ ai_billing.type_utc() }}) as extracted_at,
    cast(null as {{ text }}) as corrects_record_id
  from booked
  inner join {{ ref('ai_billing__book_newest') }} as months
    on booked.book_view = months.book_view and booked.month = months.book_month
  union all
  select
    book_view, month, close_id, record_id, {{ owners | join(', ') }}, {{ ai_billing.zero() }}, billed_cost, 0, 1,
    cast(null as {{ text }}), team_frozen, cast(null as date), day, uncertainty, extracted_at, corrects_record_id
  from costs
),

differing as (
  select
    {{ keys | join(', ') }},
    sum(amount) - sum(booked_amount) as amount,
    max(is_booked) as is_booked,
    max(is_found) as is_found,
    -- A record keeps the team with which it was booked.
    case when max(is_booked) = 1 then max(booked_team) else max(found_team) end as team,
    coalesce(max(found_day), max(booked_day)) as day,
    max(uncertainty) as uncertainty,
    max(extracted_at) as extracted_at,
    max(corrects_record_id) as corrects_record_id
  from sides
  group by {{ keys | join(', ') }}
  having sum(amount) <> sum(booked_amount)
),

placed as (
  select differing.*, {{ place }} as place from differing
),

day_states as (
  select
    {{ place }} as place, day,
    max(case when status = 'proven' then 0 else 1 end) as is_open,
    max(read_at) as read_at
  from {{ ref('completeness') }}
  where dataset = 'costs'
  group by {{ place }}, day
),

booked_records as (
  select distinct book_view, place, record_id from booked
),

held_records as (
  select distinct {{ place }} as place, record_id from {{ ref('current_costs') }}
),

accrued_records as (
  select distinct book_view, place, record_id from open_accruals where record_id is not null
),

estimated_days as (
  select distinct book_view, place, day from open_accruals where reason = 'estimate'
),

known_places as (
  select close_id, {{ ai_billing.place_of('value_2', 'value_1') }} as place
  from {{ ref('ai_billing_close_inputs') }}
  where input = 'accounts'
),

judged as (
  select
    placed.*,
    coalesce(placed.uncertainty, case when placed.is_found = 0 and day_states.is_open = 1 then 'not proven' end) as doubt,
    case
      when placed.is_found = 0 and held_records.record_id is null then 'withdrawn'
      when placed.is_found = 0 then 'corrected'
      when accrued_records.record_id is not null then 'settled'
      when booked_records.record_id is not null then 'corrected'
      when known_places.place is null then 'account added'
      when estimated_days.day is not null then 'arrived'
      when placed.corrects_record_id is not null then 'corrected'
      else 'late'
    end as certain_reason,
    -- A row that has not changed since the close is settled by a later reading of its day.
    case when placed.extracted_at > closes.closed_at then placed.extracted_at else day_states.read_at end as found_at
  from placed
  inner join {{ ref('ai_billing_closes') }} as closes on placed.close_id = closes.close_id
  left join day_states on placed.place = day_states.place and placed.day = day_states.day
  left join held_records on placed.place = held_records.place and placed.record_id = held_records.record_id
  left join booked_records
    on placed.book_view = booked_records.book_view
    and placed.place = booked_records.place
    and placed.record_id = booked_records.record_id
  left join accrued_records
    on placed.book_view = accrued_records.book_view
    and placed.place = accrued_records.place
    and placed.record_id = accrued_records.record_id
  left join estimated_days
    on placed.book_view = estimated_days.book_view
    and placed.place = estimated_days.place
    and placed.day = estimated_days.day
  left join known_places on placed.close_id = known_places.close_id and placed.place = known_places.place
)

select
  book_view, month, record_id,
  {{ owners | join(', ') }}, team, day,
  case when doubt is null then 'adjustment' else 'accrual' end as kind,
  coalesce(doubt, certain_reason) as reason,
  case when doubt is not null then 'its value at the close' end as method,
  found_at, amount
from judged
union all
select
  book_view, month, cast(null as {{ text }}), {{ owners | join(', ') }}, team_frozen, day,
  'accrual', 'estimate', method, cast(null as {{ ai_billing.type_utc() }}), amount
from {{ ref('ai_billing__book_estimates') }}
where close_id is not null
