{{ config(materialized='view') }}
-- The costs that each team bears in a book: its own costs, and its part of shared costs. The rules are those that were frozen with the
-- book of the month to which the costs belong. For an earlier month all that the books hold of it is spread again, and a book has the
-- result less the shares that the other books have already. So the shares of a book add up to its lines, and the shares of a month in
-- all books are the spread of all that is booked of the month.
{%- set keys = ['month', 'account', 'base_url', 'team', 'billing_currency'] %}
with measured as (
  select {{ keys | join(', ') }}, rule_, after_close as measure, amount from {{ ref('ai_billing__book_pools') }}
),

spread as (
  {{ ai_billing.spread_of('measured', ref('ai_billing__book_rules')) }}
),

states as (
  select measure as after_close, {{ keys | join(', ') }}, amount as own_amount, {{ ai_billing.zero() }} as shared_amount
  from measured
  where rule_ is null
  union all
  select
    measure, {{ keys | join(', ') }}, case when is_spread then {{ ai_billing.zero() }} else amount end,
    case when is_spread then amount else {{ ai_billing.zero() }} end
  from spread
),

made as (
  select close_id, lead(close_id) over (partition by book_view order by closed_at) as next_close
  from {{ ref('closes') }}
),

-- Each state counts twice: as that of its close, and as the one that the next close has found.
changes as (
  select after_close as close_id, {{ keys | join(', ') }}, own_amount, shared_amount from states
  union all
  select made.next_close, {{ keys | join(', ') }}, -1 * own_amount, -1 * shared_amount
  from states
  inner join made on states.after_close = made.close_id
)

select
  versions.close_id, versions.book_view, versions.book_month, versions.version, versions.is_newest, versions.closed_at,
  {%- for name in keys %}
  changes.{{ name }},
  {%- endfor %}
  sum(changes.own_amount) as own_amount,
  sum(changes.shared_amount) as shared_amount,
  sum(changes.own_amount) + sum(changes.shared_amount) as amount
from changes
inner join {{ ref('closes') }} as closes on changes.close_id = closes.close_id
inner join {{ ref('closes') }} as versions
  on closes.book_view = versions.book_view
  and closes.book_month = versions.book_month
  and closes.version <= versions.version
group by
  versions.close_id, versions.book_view, versions.book_month, versions.version, versions.is_newest, versions.closed_at
  {%- for name in keys %}, changes.{{ name }}{% endfor %}
having sum(changes.own_amount) <> 0 or sum(changes.shared_amount) <> 0
