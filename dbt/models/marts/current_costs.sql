{{ ai_billing.current_rows('costs') }}
