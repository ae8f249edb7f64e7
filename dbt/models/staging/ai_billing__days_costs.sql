{{ ai_billing.reading_days_of('costs') }}
