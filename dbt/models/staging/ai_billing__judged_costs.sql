{{ ai_billing.judged_rows('costs') }}
