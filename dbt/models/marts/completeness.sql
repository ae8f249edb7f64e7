with usage_days as (
  {{ ai_billing.completeness_of('usage') }}
),

costs_days as (
  {{ ai_billing.completeness_of('costs') }}
)

select * from usage_days
union all
select * from costs_days
