-- By default a correction adds to the record that it corrects (FOCUS calls this "append" delivery): both rows count. If the variable
-- ai_billing_corrections is `replacing`, a correction replaces that record. Records that correct each other in a circle all count.
{%- set replacing = var('ai_billing_corrections') == 'replacing' %}
with {{ 'recursive ' if replacing }}current_rows as (
  {{ ai_billing.current_rows('costs') }}
)
{%- if replacing %},

corrections as (
  select correction.scope, correction.corrects_record_id as corrected, correction.record_id as corrected_by
  from current_rows as correction
  inner join current_rows as original
    on correction.scope = original.scope and correction.corrects_record_id = original.record_id
  where correction.record_id <> original.record_id
),

-- Follows each correction to the record that it corrects, and further, until a record repeats.
reached as (
  select
    scope, corrected_by as origin, corrected as record_id, {{ ai_billing.as_text(dbt.hash('corrected')) }} as path
  from corrections
  union all
  select
    reached.scope, reached.origin, corrections.corrected as record_id,
    {{ ai_billing.as_text(dbt.concat(['reached.path', dbt.hash('corrections.corrected')])) }} as path
  from reached
  inner join corrections on reached.scope = corrections.scope and reached.record_id = corrections.corrected_by
  where reached.record_id <> reached.origin
    and reached.path not like {{ dbt.concat(["'%'", dbt.hash('corrections.corrected'), "'%'"]) }}
),

circles as (
  select distinct scope, origin as record_id from reached where record_id = origin
),

replaced as (
  select corrections.scope, corrections.corrected as record_id, max(corrections.corrected_by) as replaced_by
  from corrections
  left join circles as original
    on corrections.scope = original.scope and corrections.corrected = original.record_id
  left join circles as correction
    on corrections.scope = correction.scope and corrections.corrected_by = correction.record_id
  where original.record_id is null or correction.record_id is null
  group by corrections.scope, corrections.corrected
)

select current_rows.*, replaced.replaced_by, replaced.record_id is null as is_counted
from current_rows
left join replaced on current_rows.scope = replaced.scope and current_rows.record_id = replaced.record_id
{%- else %}

select current_rows.*, cast(null as {{ dbt.type_string() }}) as replaced_by, true as is_counted
from current_rows
{%- endif %}
