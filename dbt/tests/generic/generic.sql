{# One row for each combination of these columns, and of the labels of usage, of costs or of both. Null equals null. #}
{% test unique_together(model, columns, labels_of=none) %}
{%- set all = columns + (ai_billing.labels(labels_of) if labels_of else []) %}
select {{ all | join(', ') }}
from {{ model }}
group by {{ all | join(', ') }}
having count(*) > 1
{% endtest %}

{% test holds(model, condition) %}
select * from {{ model }} where not coalesce({{ condition }}, false)
{% endtest %}

{# For each currency the sums of amounts equal those of another model, to the last digit. #}
{% test adds_up(model, to, amounts, condition, names=none) %}
{%- set own = names or amounts %}
{%- set currency = adapter.quote('BillingCurrency') if names else 'billing_currency' %}
with shown as (
  select {{ currency }} as currency{% for name in own %}, sum({{ adapter.quote(name) }}) as amount_{{ loop.index }}{% endfor %}
  from {{ model }}
  group by {{ currency }}
),

expected as (
  select billing_currency as currency{% for amount in amounts %}, sum({{ amount }}) as amount_{{ loop.index }}{% endfor %}
  from {{ to }}
  where {{ condition }}
  group by billing_currency
)

select *
from expected
full outer join shown on shown.currency = expected.currency
where {% for amount in amounts %}coalesce(shown.amount_{{ loop.index }} <> expected.amount_{{ loop.index }}, true){{ ' or ' if not loop.last }}{% endfor %}
{% endtest %}
