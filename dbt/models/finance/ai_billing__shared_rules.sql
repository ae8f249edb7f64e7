-- The rules for shared costs, one row for each team that a rule names; an empty team stands for all teams. A rule with a fault in any of its
-- rows is not used at all: see invalid_inputs.
{%- set parts = [] %}
{%- for condition, why in ai_billing.shared_faults() %}
{%- do parts.append("case when " ~ condition ~ " then 1 else 0 end") %}
{%- endfor %}
with judged as (
  select
    given.*,
    {{ parts | join(' + ') }} as faults
  from (
    {{ ai_billing.input_rows('shared') }}
  ) as given
),

whole as (
  select judged.*, max(faults) over (partition by rule) as faults_of_rule from judged
)

select
  case when faults_of_rule = 0 then cast(rule as {{ dbt.type_int() }}) end as rule_,
  label, value, method, team, billing_currency,
  {{ ai_billing.to_decimal('part') }} as part,
  coalesce({{ ai_billing.date_of('whole.valid_from') }}, {{ ai_billing.first_of_days() }}) as first_day,
  {{ ai_billing.end_of(ai_billing.date_of('whole.valid_to')) }} as end_day
from whole
where faults_of_rule = 0
