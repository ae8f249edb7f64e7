{{ ai_billing.rows_of('costs') }}
