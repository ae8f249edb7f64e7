{{ ai_billing.sums_of('usage') }}
