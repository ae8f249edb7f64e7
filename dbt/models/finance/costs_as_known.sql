-- Every cost with the UTC days at whose end it was known: from `known_from` through `known_through`. A cost that is still known has the last
-- of all days. The costs of one day of knowledge are those with this day between the two. The team is that of the present team map on
-- the day of the cost. If the tables have lost rows, as a table in dedup mode does, a row without labels and amounts says so.
{%- set labels = ['account', 'base_url', 'day', 'month', 'service_provider_name', 'model_id', 'project_id', 'workspace_id', 'api_key_id',
  'team', 'invoice_id', 'charge_category', 'cost_status', 'billing_currency'] %}
{%- set text = dbt.type_string() %}
{%- set last = ai_billing.last_of_days() %}
with versions as (
  select
    versions.*,
    cast(valid_from as date) as known_from,
    coalesce({{ ai_billing.add_days('cast(valid_to as date)', -1) }}, {{ last }}) as known_through,
    cast(billing_period_start as date) as period_start
  from {{ ref('ai_billing__versions_costs') }} as versions
  where is_valid
),

owned as (
  {{ ai_billing.with_team('versions') }}
),

lost as (
  select
    account, base_url, day, cast(since as date) as known_from,
    coalesce({{ ai_billing.add_days('cast(until as date)', -1) }}, {{ last }}) as known_through
  from {{ ref('ai_billing__standing_costs') }}
  where not is_kept
)

select
  known_from, known_through, {{ labels | join(', ') }}, period_start as billing_period_start,
  sum(billed_cost) as billed_cost,
  sum(effective_cost) as effective_cost,
  true as is_history_kept
from owned
where known_from <= known_through
group by known_from, known_through, {{ labels | join(', ') }}, period_start
union all
select distinct
  known_from, known_through, account, base_url, day, {{ ai_billing.month_of('day') }},
  {%- for label in labels[4:] %}
  cast(null as {{ text }}),
  {%- endfor %}
  cast(null as date), cast(null as {{ ai_billing.type_decimal() }}), cast(null as {{ ai_billing.type_decimal() }}), false
from lost
where known_from <= known_through
