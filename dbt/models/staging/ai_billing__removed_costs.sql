{{ ai_billing.removed_of('costs') }}
