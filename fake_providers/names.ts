/** The names of a fake's projects, workspaces and keys. Every name is invented. */

/** A thing that has a name. */
export interface Named {
  readonly id: string;
  /** The kind of thing that has the name. */
  readonly kind: "project" | "workspace" | "key";
  /** The project or workspace of a key. */
  readonly parent?: string;
  readonly name: string;
  readonly isArchived?: boolean;
}

/** The names of an account, in the order in which they are listed. */
export class Names {
  readonly #named: Named[];

  constructor(named: readonly Named[]) {
    this.#named = [...named];
  }

  /** Gives another name to an id. */
  rename(id: string, name: string): void {
    const index = this.#named.findIndex((each) => each.id === id);
    const before = this.#named[index];
    if (before === undefined) throw new RangeError(`nothing has the id ${id}`);
    this.#named[index] = { ...before, name };
  }

  /** All of a kind; of one parent if it is named. */
  of(kind: Named["kind"], parent?: string): Named[] {
    return this.#named.filter(
      (each) => each.kind === kind && (parent === undefined || each.parent === parent),
    );
  }
}
