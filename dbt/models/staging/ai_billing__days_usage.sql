{{ ai_billing.days_of('usage') }}
