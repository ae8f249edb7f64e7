{{ ai_billing.rows_of('usage') }}
