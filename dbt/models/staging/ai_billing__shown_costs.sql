{{ ai_billing.shown_of('costs') }}
