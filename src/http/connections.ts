/**
 * The connections to the provider, each of them an agent of undici with a single connection. A connection takes its next request as
 * soon as an answer is complete, so that the request leaves in the same turn of the event loop. undici's pool gives a connection
 * out one turn later. Until then, this process would read all pages that came meanwhile, and make one into lines.
 */
import type { Dispatcher } from "undici";

export class Connections {
  readonly #connect: () => Dispatcher;
  readonly #most: number;
  /** The number of requests under way on each connection. */
  readonly #requests = new Map<Dispatcher, number>();

  /**
   * @param most the most connections to one origin, 1 or more
   * @param connect gives an agent that opens one connection to each origin
   */
  constructor(most: number, connect: () => Dispatcher) {
    this.#most = most;
    this.#connect = connect;
  }

  /** Adds a request to a connection with the fewest requests. `free` takes that request off again; more calls do nothing. */
  take(): { readonly connection: Dispatcher; readonly free: () => void } {
    const connection = this.#least();
    this.#add(connection, 1);
    let isFree = false;
    const free = (): void => {
      if (!isFree) this.#add(connection, -1);
      isFree = true;
    };
    return { connection, free };
  }

  async destroy(): Promise<void> {
    await Promise.all([...this.#requests.keys()].map((connection) => connection.destroy()));
  }

  #least(): Dispatcher {
    const [least] = [...this.#requests].toSorted(([, a], [, b]) => a - b);
    const isFull = this.#requests.size === this.#most;
    return least !== undefined && (least[1] === 0 || isFull) ? least[0] : this.#connect();
  }

  #add(connection: Dispatcher, requests: number): void {
    this.#requests.set(connection, (this.#requests.get(connection) ?? 0) + requests);
  }
}
