{{ ai_billing.placed_rows('costs') }}
