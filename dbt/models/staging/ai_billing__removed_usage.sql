{{ ai_billing.removed_of('usage') }}
