{{ ai_billing.completeness_of('costs') }}
