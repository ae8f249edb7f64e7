{{ ai_billing.sums_of('costs') }}
