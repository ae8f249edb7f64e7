{{ ai_billing.current_rows('usage') }}
