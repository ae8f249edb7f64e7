-- Exchange rates: one unit of `from_currency` is worth `rate` units of `to_currency`, from the day `valid_from` on. A rate has at
-- most 6 digits before the point and 12 after it, so that a product is exact. Rows that contradict each other are not used: see
-- invalid_inputs.
select from_currency, to_currency, valid_from, max(rate) as rate
from (
  select
    from_currency,
    to_currency,
    {{ ai_billing.date_of('given.valid_from') }} as valid_from,
    case when {{ ai_billing.is_rate('given.rate') }} then {{ ai_billing.to_decimal('given.rate') }} end as rate
  from (
    {{ ai_billing.input_rows('exchange_rates') }}
  ) as given
) as typed
where from_currency <> to_currency and valid_from is not null and rate > 0
group by from_currency, to_currency, valid_from
having min(rate) = max(rate)
