{{ ai_billing.counts_of('costs') }}
