/* Made by `npm run generate` from schemas/. Do not edit. */

/**
 * The body of an error response (interface section 2.7, RFC 9457). Unknown members are ignored.
 */
export interface Problem {
  /**
   * Identifies the kind of problem.
   */
  type: string;
  /**
   * The kind of problem in words.
   */
  title: string;
  /**
   * HTTP status code, 400 to 599.
   */
  status: number;
  /**
   * The explanation of this occurrence of the problem.
   */
  detail?: string;
  /**
   * Identifies this occurrence.
   */
  instance?: string;
}
