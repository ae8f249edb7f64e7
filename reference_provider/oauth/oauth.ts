/** OAuth 2.0 on the wire: its addresses and their metadata (RFC 8414, RFC 9728), and the faults of the token endpoint. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { SCOPES } from "../accounts.ts";
import type { TokenVerifier } from "../accounts.ts";
import type { Capabilities } from "../model.ts";
import type { AuthorizationOptions } from "./authorization_server.ts";
import { AuthorizationServer, INTERACTION } from "./authorization_server.ts";
import { interact } from "./interaction.ts";
import { tokenFaultSchema } from "./token_faults.ts";
import type { TokenFault, TokenFaultInput } from "./token_faults.ts";

const TOKEN_PATH = "/token";

/** The OAuth side of a provider that serves at an origin. */
export class OAuth {
  readonly server: AuthorizationServer;
  /** The address of the protected resource's metadata (RFC 9728 section 3.1). */
  readonly resourceMetadataUrl: string;
  readonly authorizationUrl: string;
  readonly tokenUrl: string;
  readonly #resource: string;
  readonly #accounts: () => readonly string[];
  #faults: { readonly fault: TokenFault; matched: number; struck: number }[] = [];

  /**
   * @param baseUrl the base address of the operations; also the identifier of the resource
   * @param accounts ids of the accounts that a person may choose from
   */
  constructor(baseUrl: string, accounts: () => readonly string[], options: AuthorizationOptions) {
    const { origin, pathname } = new URL(baseUrl);
    const path = pathname.replace(/\/$/, "");
    this.#resource = baseUrl;
    this.#accounts = accounts;
    this.server = new AuthorizationServer(`${baseUrl}/oauth`, accounts, options);
    this.resourceMetadataUrl = `${origin}/.well-known/oauth-protected-resource${path}`;
    this.authorizationUrl = `${baseUrl}/oauth/auth`;
    this.tokenUrl = `${baseUrl}/oauth${TOKEN_PATH}`;
  }

  readonly verify: TokenVerifier = (token, now) => this.server.verify(token, now);

  /** Replaces the faults of the token endpoint. The first one that is not used up strikes. */
  setFaults(faults: readonly TokenFaultInput[]): void {
    this.#faults = faults.map((fault) => ({
      fault: tokenFaultSchema.parse(fault),
      matched: 0,
      struck: 0,
    }));
  }

  /** Capabilities with the members that OAuth adds (interface section 2.2). */
  offeredIn(capabilities: Capabilities): Capabilities {
    const methods = new Set<Capabilities["authorization_methods"][number]>([
      ...capabilities.authorization_methods,
      "oauth2_authorization_code",
    ]);
    return {
      ...capabilities,
      // The schema's type demands at least one item; the type of a spread set does not have that.
      authorization_methods: [capabilities.authorization_methods[0], ...[...methods].slice(1)],
      protected_resource_metadata_url: this.resourceMetadataUrl,
    };
  }

  /** Headers of a 401 or 403, with the address of the metadata in the challenge (RFC 9728 section 5.1). */
  withMetadata(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const challenge = headers["www-authenticate"];
    if (challenge === undefined) return headers;
    const metadata = `resource_metadata="${this.resourceMetadataUrl}"`;
    return { ...headers, "www-authenticate": `${challenge}, ${metadata}` };
  }

  /** Whether a path, without its query, is one of OAuth's. */
  serves(path: string): boolean {
    return (
      path === this.#resourcePath || path === this.#serverPath || this.#below(path) !== undefined
    );
  }

  /** The kind of metadata at a path; undefined if the path is no metadata. */
  metadataAt(path: string): "resource" | "server" | undefined {
    if (path === this.#resourcePath) return "resource";
    return path === this.#serverPath ? "server" : undefined;
  }

  /** Answers a request to one of OAuth's addresses. Never rejects. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = request.url ?? "/";
    const [path = "/"] = url.split("?");
    if (path === this.#resourcePath) return sendJson(response, 200, this.#resourceMetadata());
    if (path === this.#serverPath) {
      return this.server.answer(request, response, "/.well-known/oauth-authorization-server");
    }
    const below = this.#below(path) ?? "/";
    if (below.startsWith(INTERACTION)) {
      return interact(this.server, this.#accounts(), request, response, path);
    }
    if (below === TOKEN_PATH && (await this.#strike(request, response))) return;
    await this.server.answer(request, response, below + url.slice(path.length));
  }

  get #resourcePath(): string {
    return new URL(this.resourceMetadataUrl).pathname;
  }

  get #serverPath(): string {
    return `/.well-known/oauth-authorization-server${new URL(this.server.issuer).pathname}`;
  }

  #below(path: string): string | undefined {
    const own = `${new URL(this.server.issuer).pathname}/`;
    return path.startsWith(own) ? path.slice(own.length - 1) : undefined;
  }

  #resourceMetadata(): object {
    return {
      resource: this.#resource,
      authorization_servers: [this.server.issuer],
      scopes_supported: SCOPES,
      bearer_methods_supported: ["header"],
      resource_name: "Reference provider",
    };
  }

  /** Lets the next fault strike. Resolves to whether the fault has answered instead of the library. */
  async #strike(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const due = this.#faults.find(({ fault, struck }) => struck < (fault.times ?? Infinity));
    if (due === undefined) return false;
    due.matched += 1;
    if (due.matched <= due.fault.after) return false;
    due.struck += 1;
    const { fault } = due;
    switch (fault.kind) {
      case "status": {
        const description = fault.echo ? await textOf(request) : "Injected fault";
        const body = { error: fault.error, error_description: description };
        sendJson(response, fault.status, body, fault.headers);
        return true;
      }
      case "reset":
        response.socket?.resetAndDestroy();
        return true;
      case "stall":
        return true;
      case "slow":
        await new Promise((resolve) => setTimeout(resolve, fault.milliseconds));
        return false;
      case "headers": {
        const set = response.setHeader.bind(response);
        response.setHeader = (name, value) => set(name, fault.set[name.toLowerCase()] ?? value);
        return false;
      }
      case "lost":
        response.writeHead = () => {
          response.socket?.resetAndDestroy();
          return response;
        };
        return false;
    }
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = request.headers.authorization ?? "";
  for await (const chunk of request) text += ` ${String(chunk)}`;
  return text;
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    "content-type": "application/json",
    "cache-control": "no-store",
    ...headers,
  });
  response.end(JSON.stringify(body));
}
