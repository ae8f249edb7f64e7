-- Usage beside costs, by day and model, to find days on which the two datasets of a provider disagree. Charges other than usage, such
-- as tax, are left out. If one of the two is not proven for a day, the next sync may change the finding.
{%- set keys = ['day', 'account', 'base_url', 'service_provider_name', 'model_id'] %}
{%- set scaled = 'consumed_quantity * ' ~ ai_billing.unit_factor('consumed_unit') %}
with usage_sums as (
  select
    {{ keys | join(', ') }},
    sum(case when {{ ai_billing.is_tokens(ai_billing.unit_name('consumed_unit')) }} then {{ scaled }} end) as tokens,
    sum(case when usage_type = 'requests' then {{ scaled }} end) as requests
  from {{ ref('current_usage') }}
  group by {{ keys | join(', ') }}
),

cost_sums as (
  select {{ keys | join(', ') }}, billing_currency, sum(billed_cost) as billed_cost
  from {{ ref('current_costs') }}
  where is_counted and charge_category = 'Usage'
  group by {{ keys | join(', ') }}, billing_currency
),

keyed_usage as (
  select usage_sums.*, {{ ai_billing.key_of(keys) }} as join_key from usage_sums
),

keyed_costs as (
  select cost_sums.*, {{ ai_billing.key_of(keys) }} as join_key from cost_sums
),

joined as (
  select
    {%- for name in keys %}
    coalesce(usage_.{{ name }}, costs_.{{ name }}) as {{ name }},
    {%- endfor %}
    usage_.tokens,
    usage_.requests,
    costs_.billed_cost,
    costs_.billing_currency,
    case
      when costs_.join_key is null then 'usage without costs'
      when usage_.join_key is null then 'costs without usage'
      else 'both'
    end as finding
  from keyed_usage as usage_
  full outer join keyed_costs as costs_ on usage_.join_key = costs_.join_key
),

statuses as (
  select
    {{ ai_billing.key_of(['day', 'account', 'base_url']) }} as day_key,
    max(case when dataset = 'usage' then status end) as usage_status,
    max(case when dataset = 'costs' then status end) as cost_status
  from {{ ref('completeness') }}
  group by {{ ai_billing.key_of(['day', 'account', 'base_url']) }}
),

keyed as (
  select joined.*, {{ ai_billing.key_of(['day', 'account', 'base_url']) }} as day_key from joined
)

select
  {%- for name in keys %}
  keyed.{{ name }},
  {%- endfor %}
  keyed.tokens,
  keyed.requests,
  keyed.billed_cost,
  keyed.billing_currency,
  keyed.finding,
  -- If only one dataset has rows for a day, the day is incomplete.
  {{ ai_billing.worst_status(
    "coalesce(statuses.usage_status, 'incomplete')", "coalesce(statuses.cost_status, 'incomplete')") }} as day_status
from keyed
left join statuses on keyed.day_key = statuses.day_key
