-- The budgets, each of one month or one fiscal year, which bears the name of the calendar year in which it ends. `label` says what it is
-- about: all costs, or those of a team, project, model or provider, which is `value`. Negative budgets, and rows that contradict each
-- other, are not used: see invalid_inputs.
{%- set labels = ['project_id', 'model_id', 'service_provider_name'] %}
with given as (
  {{ ai_billing.input_rows('budgets') }}
),

settings as (
  select {{ ai_billing.fiscal_year_start() }} as first_of_year from (select 1 as one) as nothing
),

years as (
  select
    given.*,
    settings.first_of_year,
    case when {{ ai_billing.is_fiscal_year('given.month') }} then cast(substr(given.month, 3, 4) as integer) end as year_
  from given
  cross join settings
),

typed as (
  select
    {%- for label in labels %}
    years.{{ label }},
    {%- endfor %}
    years.team, years.billing_currency, years.year_ as fiscal_year,
    {{ ai_billing.to_decimal('years.budget') }} as amount,
    case
      when years.year_ is null then {{ ai_billing.date_of(dbt.concat(['years.month', "'-01'"])) }}
      else {{ ai_billing.date_of(dbt.concat([
        ai_billing.as_text("years.year_ - case when years.first_of_year = '01' then 0 else 1 end"), "'-'", 'years.first_of_year', "'-01'"])) }}
    end as first_month
  from years
)

select
  case
    when team is not null then 'team'
    {%- for label in labels %}
    when {{ label }} is not null then '{{ label }}'
    {%- endfor %}
    else 'all'
  end as label,
  coalesce(team, {{ labels | join(', ') }}) as value,
  team, fiscal_year, first_month,
  case when fiscal_year is null then first_month else {{ ai_billing.add_months('first_month', 11) }} end as last_month,
  billing_currency,
  max(amount) as budget
from typed
where first_month is not null and billing_currency is not null and amount is not null
  and case when team is null then 0 else 1 end
    {%- for label in labels %} + case when {{ label }} is null then 0 else 1 end{% endfor %} <= 1
group by team, {{ labels | join(', ') }}, fiscal_year, first_month, billing_currency
having min(amount) = max(amount) and min(amount) >= 0
