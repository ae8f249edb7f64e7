{{ config(materialized='view') }}
-- The entries of the book that a request asks for. The book's own month is booked again as a whole. A book that is made for the first
-- time also books the changes that are open for earlier months. A book that is made again keeps its entries of earlier months.
-- A close needs one more model, whose rows it freezes: {{ ref('ai_billing__shared_rules') }}.
{%- set owners = ai_billing.line_owners() + ['workspace_id', 'api_key_id'] %}
{%- set carried = ['month', 'reason', 'day', 'method', 'record_id'] + owners %}
{%- set text = dbt.type_string() %}
with request as (
  select close_id as open_id, book_view as open_view, book_month as open_month, version as open_version
  from {{ ref('ai_billing_closes') }}
  where digest is null
),

own as (
  select
    costs.requested_by, costs.book_view, costs.month,
    case when costs.uncertainty is null then 'actual' else 'accrual' end as kind,
    coalesce(costs.uncertainty, 'final') as reason,
    costs.day,
    case when costs.uncertainty is not null then 'its value at the close' end as method,
    coalesce(found.found_at, costs.extracted_at) as found_at, costs.record_id,
    {% for name in owners %}{{ 'costs.team_now as team' if name == 'team' else 'costs.' ~ name }}, {% endfor %}costs.billed_cost as amount
  from {{ ref('ai_billing__book_costs') }} as costs
  left join {{ ref('ai_billing__book_found') }} as found
    on {{ ai_billing.place_of('costs.base_url', 'costs.account') }} = found.place and costs.record_id = found.record_id
  where costs.requested_by is not null
  union all
  select
    requested_by, book_view, month, 'accrual', 'estimate', day, method,
    cast(null as {{ ai_billing.type_utc() }}), cast(null as {{ text }}),
    {% for name in owners %}{{ 'team_now' if name == 'team' else name }}, {% endfor %}amount
  from {{ ref('ai_billing__book_estimates') }}
  where requested_by is not null
)

select
  requested_by as close_id, requested_by as booked_by, cast(null as {{ text }}) as reverses, book_view, month, kind, reason, day, method,
  found_at, record_id,
  {% for name in owners %}{{ name }}, {% endfor %}amount, reporting_currency, converted_amount
from (
  {{ ai_billing.with_book_rates('own', "'now'") }}
) as converted
union all
select
  request.open_id, request.open_id, open_.reverses, open_.book_view, open_.month, open_.kind, open_.reason, open_.day, open_.method,
  open_.found_at, open_.record_id,
  {% for name in owners %}open_.{{ name }}, {% endfor %}open_.amount, open_.reporting_currency, open_.converted_amount
from {{ ref('ai_billing__book_open') }} as open_
inner join request on open_.book_view = request.open_view and request.open_version = 1
union all
select
  request.open_id, entries.booked_by, entries.reverses, entries.book_view, entries.month, entries.kind, entries.reason, entries.day,
  entries.method, entries.found_at, entries.record_id,
  {% for name in owners %}entries.{{ name }}, {% endfor %}entries.amount, entries.reporting_currency, entries.converted_amount
from {{ ref('ai_billing__book_entries') }} as entries
inner join request
  on entries.book_view = request.open_view
  and entries.book_month = request.open_month
  and entries.month <> request.open_month
