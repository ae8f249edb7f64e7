{{ ai_billing.completeness_of('usage') }}
