{{ ai_billing.strays_of('usage') }}
