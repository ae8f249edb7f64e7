-- The budget of each team and month. A budget without a team is that of the whole organization. Negative budgets, and rows that
-- contradict each other, are not used: see invalid_inputs.
select team, month, billing_currency, max(budget) as budget
from (
  select
    team,
    {{ ai_billing.date_of(dbt.concat(['given.month', "'-01'"])) }} as month,
    billing_currency,
    {{ ai_billing.to_decimal('given.budget') }} as budget
  from (
    {{ ai_billing.input_rows('budgets') }}
  ) as given
) as typed
where month is not null and billing_currency is not null and budget is not null
group by team, month, billing_currency
having min(budget) = max(budget) and min(budget) >= 0
