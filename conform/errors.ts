/** A check needs something that this provider, account or command line does not give. */
export class Missing extends Error {
  override readonly name = "Missing";
}

/** The run itself is not possible: wrong options, no connection, a token that is refused. Exit code 2. */
export class CannotRun extends Error {
  override readonly name = "CannotRun";
}
