{{ ai_billing.days_of('costs') }}
