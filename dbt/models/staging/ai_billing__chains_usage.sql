{{ ai_billing.chains_of('usage') }}
