/**
 * The kinds of problem that this provider reports (interface section 2.7 does not fix the values of `type`). The `type`
 * of a problem is `/problems/` and the key, a reference relative to the server. The README lists them for clients.
 */
export const PROBLEMS = {
  "invalid-parameter": { status: 400, title: "A parameter is missing, malformed or repeated" },
  "unknown-parameter": { status: 400, title: "The operation has no such parameter" },
  "invalid-window": { status: 400, title: "The window is empty or reversed" },
  "window-too-large": { status: 400, title: "The window is longer than maximum_window_days" },
  "window-in-future": { status: 400, title: "The window ends after now" },
  "out-of-retention": {
    status: 400,
    title: "The window starts before the retention of the dataset",
  },
  "unsupported-granularity": {
    status: 400,
    title: "The dataset is not offered at this granularity",
  },
  "unsupported-dataset": { status: 400, title: "The account is not offered this dataset" },
  "cursor-invalid": { status: 400, title: "The cursor is not one that this provider issued" },
  "cursor-mismatch": { status: 400, title: "The cursor belongs to another query or account" },
  "cursor-expired": { status: 400, title: "The cursor has expired" },
  "malformed-request": { status: 400, title: "The request cannot be read" },
  unauthorized: { status: 401, title: "A valid access token is required" },
  "insufficient-scope": { status: 403, title: "The access token lacks a scope" },
  "not-found": { status: 404, title: "There is nothing at this address" },
  "method-not-allowed": { status: 405, title: "The operation is read-only" },
  "rate-limited": { status: 429, title: "Too many requests" },
  "internal-error": { status: 500, title: "The provider failed" },
} as const;

export type ProblemType = keyof typeof PROBLEMS;

/** An error answer: problem document (interface section 2.7) and headers. Thrown wherever a request is refused. */
export class ProblemError extends Error {
  readonly type: ProblemType;
  readonly headers: Readonly<Record<string, string>>;

  constructor(type: ProblemType, detail: string, headers: Readonly<Record<string, string>> = {}) {
    super(detail);
    this.type = type;
    this.headers = headers;
  }

  get status(): number {
    return PROBLEMS[this.type].status;
  }

  /** The body, as JSON text. */
  body(): string {
    const { status, title } = PROBLEMS[this.type];
    return JSON.stringify({ type: `/problems/${this.type}`, title, status, detail: this.message });
  }
}
