{{ ai_billing.placed_rows('usage') }}
