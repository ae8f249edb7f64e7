-- Day by day: proven, unproven or incomplete, and why.
select * from {{ ref('ai_billing__completeness_usage') }}
union all
select * from {{ ref('ai_billing__completeness_costs') }}
