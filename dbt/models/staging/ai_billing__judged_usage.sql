{{ ai_billing.judged_rows('usage') }}
