{{ ai_billing.shown_of('usage') }}
