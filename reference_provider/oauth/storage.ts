import type { Adapter } from "oidc-provider/lib/provider.js";

interface Entry {
  payload: object;
  readonly grantId: unknown;
  /** Milliseconds since 1970. It is exact, while the library counts whole seconds. */
  readonly expiresAt: number;
}

/** The memory of one authorization server. It ends with the process. */
export class Storage {
  readonly #entries = new Map<string, Entry>();

  /** The store of one kind, such as `AccessToken`. */
  adapter(kind: string): Adapter {
    const keyOf = (id: string): string => `${kind}:${id}`;
    const find = async (id: string): Promise<object | undefined> => this.#find(keyOf(id));
    return {
      upsert: async (id, payload, expiresIn) => {
        const expiresAt = expiresIn === undefined ? Infinity : Date.now() + expiresIn * 1000;
        this.#entries.set(keyOf(id), {
          payload,
          grantId: Reflect.get(payload, "grantId"),
          expiresAt,
        });
      },
      find,
      findByUid: async (uid) => this.#findWhere(kind, "uid", uid),
      findByUserCode: async () => undefined,
      consume: async (id) => {
        const entry = this.#entries.get(keyOf(id));
        if (entry !== undefined)
          entry.payload = { ...entry.payload, consumed: Math.floor(Date.now() / 1000) };
      },
      destroy: async (id) => void this.#entries.delete(keyOf(id)),
      revokeByGrantId: async (grantId) => this.#remove(kind, grantId),
    };
  }

  /** Forgets every token and grant, and so revokes all families. */
  clear(): void {
    this.#entries.clear();
  }

  /** Ends all access tokens. Refresh tokens stay. */
  expireAccessTokens(): void {
    for (const key of this.#entries.keys())
      if (key.startsWith("AccessToken:")) this.#entries.delete(key);
  }

  #find(key: string): object | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.expiresAt > Date.now()) return entry.payload;
    this.#entries.delete(key);
    return undefined;
  }

  #findWhere(kind: string, member: string, value: string): object | undefined {
    for (const [key, { payload }] of this.#entries) {
      if (key.startsWith(`${kind}:`) && Reflect.get(payload, member) === value)
        return this.#find(key);
    }
    return undefined;
  }

  #remove(kind: string, grantId: string): void {
    for (const [key, entry] of this.#entries)
      if (key.startsWith(`${kind}:`) && entry.grantId === grantId) this.#entries.delete(key);
  }
}
