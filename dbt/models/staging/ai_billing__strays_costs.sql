{{ ai_billing.strays_of('costs') }}
