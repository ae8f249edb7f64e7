// Made by `npm run generate` from schemas/. Do not edit.

/** One broken rule: where (a JSON pointer), which keyword, and in words. */
export interface Violation {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

/** Says whether a value keeps its schema; `errors` belongs to the last call. */
export interface Validator {
  (value: unknown): boolean;
  errors?: readonly Violation[] | null;
}

export const validateCapabilities: Validator;
export const validateCosts: Validator;
export const validatePage: Validator;
export const validateProblem: Validator;
export const validateUsage: Validator;
