{{ ai_billing.chains_of('costs') }}
