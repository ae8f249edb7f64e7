{{ ai_billing.counts_of('usage') }}
