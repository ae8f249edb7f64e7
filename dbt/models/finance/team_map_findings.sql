-- Days on which the team map is not clear: several teams claim a value (`overlap`), no team has it between two of its rows (`gap`), or
-- it costs something before its first row or after its last one (`outside`). `billed_cost` is the cost of the value on these days that
-- has no team, because the other labels of the cost name none either.
with claims as (
  {{ ai_billing.team_claims() }}
),

spans as (
  {{ ai_billing.team_spans('claims') }}
),

bounds as (
  select label, value, min(first_day) as first_day, max(end_day) as end_day from claims group by label, value
),

-- Rows without days that contradict each other are in invalid_inputs.
unclear as (
  select
    case when teams = 0 then 'gap' else 'overlap' end as finding,
    label, value, first_day, end_day, case when teams > 1 then team end as team, case when teams > 1 then other_team end as other_team
  from spans
  where teams = 0
    or (teams > 1 and (first_day > {{ ai_billing.first_of_days() }} or end_day < {{ ai_billing.last_of_days() }}))
  union all
  select
    'outside', label, value, {{ ai_billing.first_of_days() }}, first_day,
    cast(null as {{ dbt.type_string() }}), cast(null as {{ dbt.type_string() }})
  from bounds
  where first_day > {{ ai_billing.first_of_days() }}
  union all
  select
    'outside', label, value, end_day, {{ ai_billing.last_of_days() }},
    cast(null as {{ dbt.type_string() }}), cast(null as {{ dbt.type_string() }})
  from bounds
  where end_day < {{ ai_billing.last_of_days() }}
),

unowned as (
  {%- for label in ai_billing.team_labels() %}
  select '{{ label }}' as label, {{ label }} as value, day, billing_currency, sum(billed_cost) as billed_cost
  from {{ ref('ai_billing__owned_costs') }}
  where team is null and {{ label }} is not null
  group by {{ label }}, day, billing_currency
  {{- ' union all' if not loop.last }}
  {%- endfor %}
),

found as (
  select
    unclear.finding, unclear.label, unclear.value, unclear.first_day, unclear.end_day, unowned.billing_currency,
    max(unclear.team) as team,
    max(unclear.other_team) as other_team,
    min(unowned.day) as first_cost_day,
    max(unowned.day) as last_cost_day,
    coalesce(sum(unowned.billed_cost), 0) as billed_cost
  from unclear
  left join unowned
    on unclear.label = unowned.label
    and unclear.value = unowned.value
    and unowned.day >= unclear.first_day
    and unowned.day < unclear.end_day
  group by unclear.finding, unclear.label, unclear.value, unclear.first_day, unclear.end_day, unowned.billing_currency
)

select
  finding, label, value,
  case
    when finding = 'outside' then first_cost_day
    when first_day > {{ ai_billing.first_of_days() }} then first_day
  end as first_day,
  case
    when finding = 'outside' then last_cost_day
    when end_day < {{ ai_billing.last_of_days() }} then {{ ai_billing.add_days('end_day', -1) }}
  end as last_day,
  team, other_team, billing_currency, billed_cost
from found
where finding <> 'outside' or first_cost_day is not null
