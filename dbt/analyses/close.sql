{{ ai_billing.close_statements() | join(';\n\n') }};
