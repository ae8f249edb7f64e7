/** A step of a read that no message on stdout tells. */
export type ProgressEvent =
  /** The plan is made: `windows` are to be read, those that an earlier sync began among them. */
  | { readonly type: "PLANNED"; readonly stream: string; readonly windows: number }
  /** The provider has answered a request with a page; `endsWindow`: it was the last one of its window. */
  | { readonly type: "ANSWERED"; readonly stream: string; readonly endsWindow: boolean };
