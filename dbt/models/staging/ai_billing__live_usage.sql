{{ ai_billing.live_of('usage') }}
