{{ config(materialized='view') }}
-- The differences between the costs of closed months and their books, record by record. The next close of the view books them as
-- entries of these months. A certain difference is an adjustment, any other an accrual.
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
    cast(null as {{ text }}) as uncertainty, cast(null as {{ text }}) as corrects_record_id
  from booked
  inner join {{ ref('ai_billing__book_newest') }} as months
    on booked.book_view = months.book_view and booked.month = months.book_month
  union all
  select
    book_view, month, close_id, record_id, {{ owners | join(', ') }}, {{ ai_billing.zero() }}, billed_cost, 0, 1,
    cast(null as {{ text }}), team_frozen, cast(null as date), day, uncertainty, corrects_record_id
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

-- A reading that began after the close, and after which the day was proven.
confirmed as (
  select manifest.place, manifest.day, manifest.began_at
  from {{ ref('ai_billing__manifest') }} as manifest
  inner join {{ ref('ai_billing__standing_costs') }} as standing
    on manifest.place = {{ ai_billing.place_of('standing.base_url', 'standing.account') }}
    and manifest.day = standing.day
    and manifest.rows_reading_id = standing.rows_reading_id
  where manifest.dataset = 'costs' and manifest.inside_window and manifest.is_confirmed and not manifest.is_shrunk
    and manifest.is_covering and standing.is_kept
),

proven as (
  select asked.close_id, asked.place, asked.day, min(confirmed.began_at) as proven_at
  from (
    select distinct close_id, place, day from placed
  ) as asked
  inner join {{ ref('ai_billing_closes') }} as closes on asked.close_id = closes.close_id
  inner join confirmed
    on asked.place = confirmed.place and asked.day = confirmed.day and confirmed.began_at > closes.closed_at
  group by asked.close_id, asked.place, asked.day
),

-- When each record changed last, whatever a book says of it.
changed as (
  select place, record_id, found_at, gone_at from {{ ref('ai_billing__book_found') }}
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
    closes.closed_at,
    case when placed.is_found = 0 then coalesce(changed.gone_at, changed.found_at) else changed.found_at end as changed_at,
    coalesce(proven.proven_at, day_states.read_at) as proven_at
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
  left join changed on placed.place = changed.place and placed.record_id = changed.record_id
  left join proven on placed.close_id = proven.close_id and placed.place = proven.place and placed.day = proven.day
),

unbooked as (
  select
    close_id, book_view, month, record_id,
    {{ owners | join(', ') }}, team, day,
    case when doubt is null then 'adjustment' else 'accrual' end as kind,
    coalesce(doubt, certain_reason) as reason,
    case when doubt is not null then 'its value at the close' end as method,
    -- The first reading that proves the day settles a row that has not changed since the close.
    case when changed_at > closed_at then changed_at else proven_at end as found_at,
    amount
  from judged
  union all
  select
    close_id, book_view, month, cast(null as {{ text }}), {{ owners | join(', ') }}, team_frozen, day,
    'accrual', 'estimate', method, cast(null as {{ ai_billing.type_utc() }}), amount
  from {{ ref('ai_billing__book_estimates') }}
  where close_id is not null
)

{{ ai_billing.with_book_rates('unbooked', 'rows_.close_id') }}
