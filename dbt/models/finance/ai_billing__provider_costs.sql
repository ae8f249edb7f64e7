-- Facts about a cost that a provider tells in columns which the interface does not name: the list price, the kind of token, and the
-- commitment that the cost belongs to (columns of FOCUS). One row for each version of a record with at least one of these facts.
{%- set texts = {
  'usage_type': none,
  'commitment_id': 'CommitmentDiscountId',
  'commitment_name': 'CommitmentDiscountName',
  'commitment_category': 'CommitmentDiscountCategory',
  'commitment_type': 'CommitmentDiscountType',
  'commitment_status': 'CommitmentDiscountStatus',
  'commitment_unit': 'CommitmentDiscountUnit',
} %}
with said as (
  select
    {{ ai_billing.as_text(ai_billing.raw_column('x_ReadingId')) }} as reading_id,
    {{ ai_billing.as_text(ai_billing.raw_column('x_RecordId')) }} as record_id,
    {%- for name, column in texts.items() if column %}
    {{ ai_billing.provider_column('costs', column) }} as {{ name }},
    {%- endfor %}
    {{ ai_billing.provider_column('costs', 'x_Modality') }} as modality,
    {{ ai_billing.provider_column('costs', 'x_TokenKind') }} as token_kind,
    {{ ai_billing.provider_column('costs', 'CommitmentDiscountQuantity') }} as commitment_quantity_text,
    {{ ai_billing.provider_column('costs', 'ListCost') }} as list_cost_text
  from {{ source('ai_billing', 'costs') }}
),

typed as (
  select
    said.*,
    -- OpenAI names the kind of token and the modality in its line items. The reports of usage give no modality for tokens that were
    -- read from the cache or written to it, so their modality is left out here.
    case
      when token_kind = 'cached input' then 'cache_read_tokens'
      when token_kind = 'cache writes' then 'x_cache_write_tokens'
      when token_kind in ('input', 'output') and coalesce(modality, 'text') = 'text' then {{ dbt.concat(['token_kind', "'_tokens'"]) }}
      when token_kind in ('input', 'output') and modality = 'audio' then {{ dbt.concat(['token_kind', "'_audio_tokens'"]) }}
      when token_kind in ('input', 'output') and modality = 'image' then {{ dbt.concat(["'x_'", 'token_kind', "'_image_tokens'"]) }}
    end as usage_type,
    {{ ai_billing.to_decimal('list_cost_text') }} as list_cost,
    {{ ai_billing.to_decimal('commitment_quantity_text') }} as commitment_quantity
  from said
)

select
  reading_id,
  record_id,
  {%- for name in texts %}
  max({{ name }}) as {{ name }},
  {%- endfor %}
  max(list_cost) as list_cost,
  max(commitment_quantity) as commitment_quantity
from typed
where reading_id is not null
  and coalesce(usage_type, commitment_id, list_cost_text) is not null
group by reading_id, record_id
