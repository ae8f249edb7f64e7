{{ config(materialized='view') }}
-- The entries that the next close of each view books for months that are closed already: changes and new accruals, the reversal of
-- each open accrual, and the entries of other books that a month which was closed again has taken over.
{%- set carried = ['month', 'reason', 'day', 'method', 'record_id'] + ai_billing.line_owners() + ['workspace_id', 'api_key_id'] %}
{%- set void_keys = ['book_view', 'month', 'day'] + ai_billing.line_owners() + ['workspace_id', 'api_key_id', 'reporting_currency'] %}
{%- set text = dbt.type_string() %}
with entries as (
  select * from {{ ref('ai_billing__book_entries') }}
),

void as (
  select
    {{ void_keys | join(', ') }},
    -1 * sum(amount) as amount,
    case when count(*) = count(converted_amount) then -1 * sum(converted_amount) end as converted_amount
  from entries
  where is_void or reason = 'reopened'
  group by {{ void_keys | join(', ') }}
  having sum(amount) <> 0 or sum(converted_amount) <> 0
)

select
  book_view, kind, cast(null as {{ text }}) as reverses, {{ carried | join(', ') }}, found_at, amount,
  reporting_currency, converted_amount
from {{ ref('ai_billing__book_unbooked') }}
union all
select
  book_view, 'reversal', booked_by, {{ carried | join(', ') }}, cast(null as {{ ai_billing.type_utc() }}), -1 * amount,
  reporting_currency, -1 * converted_amount
from entries
where is_open_accrual
union all
select
  void.book_view, 'adjustment', cast(null as {{ text }}), void.month, 'reopened', void.day, cast(null as {{ text }}),
  cast(null as {{ text }}), {% for name in ai_billing.line_owners() %}void.{{ name }}, {% endfor %}void.workspace_id, void.api_key_id,
  newest.closed_at, void.amount, void.reporting_currency, void.converted_amount
from void
inner join {{ ref('ai_billing__book_newest') }} as newest
  on void.book_view = newest.book_view and void.month = newest.book_month
