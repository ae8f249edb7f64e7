-- Money that cached input tokens saved: their number times the price of input tokens, less their own cost. And what the input tokens that
-- were not cached would have saved at most: their own cost, less their number times the price of cached tokens. A price is the cost of
-- the month's complete days divided by their quantity, for each service tier, workload and upstream provider by itself. A price needs
-- usage and cost of the same usage type. Of a day in progress, costs are known through another hour than usage.
{%- set keys = ['month', 'account', 'base_url', 'service_provider_name', 'model_id'] %}
{%- set groups = keys + ai_billing.labels('prices') | reject('in', keys) | list + ['billing_currency'] %}
{%- set writes = "'cache_write_5m_tokens', 'cache_write_1h_tokens', 'x_cache_write_30m_tokens', 'x_cache_write_12h_tokens',
    'x_cache_write_tokens'" %}
{%- set kinds = {'input': "= 'input_tokens'", 'read': "= 'cache_read_tokens'", 'write': 'in (' ~ writes ~ ')'} %}
{%- set month = ai_billing.month_of('day') %}
with cached as (
  select
    {{ month }} as month, {{ keys[1:] | join(', ') }},
    sum(case when usage_type = 'cache_read_tokens'
      then consumed_quantity * {{ ai_billing.unit_factor('consumed_unit') }} else 0 end) as cached_tokens,
    sum(case when usage_type = 'input_tokens'
      then consumed_quantity * {{ ai_billing.unit_factor('consumed_unit') }} else 0 end) as uncached_tokens
  from {{ ref('current_usage') }}
  where usage_type in ('cache_read_tokens', 'input_tokens', {{ writes }})
  group by {{ month }}, {{ keys[1:] | join(', ') }}
  having max(case when usage_type = 'input_tokens' then 0 else 1 end) = 1
),

costs as (
  select {{ month }} as month, {{ groups[1:] | join(', ') }}, usage_type, quantity, effective_cost, day_status
  from {{ ref('unit_costs') }}
  where effective_cost is not null and usage_type is not null
),

typed as (
  select distinct {{ ai_billing.key_of(keys[1:4]) }} as source_ from costs
),

sums as (
  select
    {{ groups | join(', ') }},
    {%- for kind, types in kinds.items() %}
    sum(case when usage_type {{ types }} then quantity end) as {{ kind }}_tokens,
    sum(case when usage_type {{ types }} then effective_cost end) as {{ kind }}_cost{{ ',' if not loop.last }}
    {%- endfor %}
  from costs
  where quantity is not null and day_status <> 'incomplete'
  group by {{ groups | join(', ') }}
),

prices as (
  select
    sums.*,
    {{ ai_billing.per_million('input_cost', 'input_tokens') }} as price,
    {{ ai_billing.per_million('read_cost', 'read_tokens') }} as read_price
  from sums
),

compared as (
  select
    {{ groups | join(', ') }},
    {%- for kind in ['read', 'write'] %}
    {{ kind }}_tokens,
    {{ kind }}_cost,
    {{ ai_billing.times(ai_billing.millions(kind ~ '_tokens'), 'price') }} as {{ kind }}_as_input,
    {%- endfor %}
    input_tokens,
    input_cost,
    case when abs(read_price) < 1000000 then {{ ai_billing.times(ai_billing.millions('input_tokens'), 'read_price') }} end
      as input_as_read
  from prices
  where abs(price) < 1000000
),

told as (
  select
    {{ ai_billing.key_of(keys) }} as join_key,
    billing_currency,
    sum(read_tokens) as priced_tokens,
    sum(read_as_input) as read_as_input,
    sum(read_cost) as read_cost,
    sum(write_cost - write_as_input) as write_surcharge,
    sum(case when input_as_read is not null then input_tokens end) as uncached_priced_tokens,
    sum(input_cost - input_as_read) as possible_saved_cost,
    sum(case
      when read_tokens is not null and read_as_input is null then 1
      when write_tokens is not null and write_as_input is null then 1
      else 0
    end) as too_large
  from compared
  where read_tokens is not null or write_tokens is not null
  group by {{ ai_billing.key_of(keys) }}, billing_currency
),

charged as (
  select distinct {{ ai_billing.key_of(keys) }} as join_key from costs where usage_type = 'cache_read_tokens'
),

keyed as (
  select cached.*, {{ ai_billing.key_of(keys) }} as join_key, {{ ai_billing.key_of(keys[1:4]) }} as source_ from cached
)

select
  {%- for name in keys %}
  keyed.{{ name }},
  {%- endfor %}
  told.billing_currency,
  keyed.cached_tokens,
  told.priced_tokens,
  {{ ai_billing.ratio('coalesce(told.priced_tokens, 0)', 'keyed.cached_tokens') }} as priced_share,
  {{ ai_billing.per_million('told.read_as_input', 'told.priced_tokens') }} as input_price,
  {{ ai_billing.per_million('told.read_cost', 'told.priced_tokens') }} as cache_read_price,
  case when told.too_large = 0 then coalesce(told.read_as_input - told.read_cost, 0) end as saved_cost,
  case when told.too_large = 0 then coalesce(told.write_surcharge, 0) end as write_surcharge,
  keyed.uncached_tokens,
  told.uncached_priced_tokens,
  told.possible_saved_cost,
  case
    when told.too_large > 0 then 'the number of tokens is too large to be multiplied exactly'
    when told.join_key is not null then null
    when typed.source_ is null then 'costs name no usage type, so that nobody can tell the price of a cached token'
    when charged.join_key is null then 'no cost names the cached tokens of this model'
    else 'no input tokens of the same service tier, workload and upstream provider have a cost on a complete day of this month, so that there is no price to compare with'
  end as why_not
from keyed
left join told on keyed.join_key = told.join_key
left join typed on keyed.source_ = typed.source_
left join charged on keyed.join_key = charged.join_key
