{{ ai_billing.live_of('costs') }}
