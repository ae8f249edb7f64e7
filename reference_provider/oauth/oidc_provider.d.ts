/** Types for the used part of oidc-provider 9, which has none. */
declare module "oidc-provider/lib/provider.js" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  interface Stored {
    /** Saves the object. Resolves to the token that the client gets. */
    save(): Promise<string>;
  }

  export interface Grant extends Stored {
    addOIDCScope(scope: string): void;
    rejectOIDCScope(scope: string): void;
  }

  export interface Client {
    readonly clientId: string;
  }

  interface TokenInput {
    readonly client: Client;
    readonly accountId: string;
    readonly grantId: string;
    readonly scope: string;
    readonly gty: string;
  }

  export interface AccessToken extends Stored {
    readonly accountId: string;
    readonly grantId: string;
    readonly scope?: string;
  }

  /** One sign-in of a person: login and consent. */
  export interface Interaction {
    readonly uid: string;
    readonly prompt: { readonly name: string };
    readonly params: Readonly<Record<string, unknown>>;
    readonly session?: { readonly accountId: string };
  }

  /** The store of one kind of object. */
  export interface Adapter {
    upsert(id: string, payload: object, expiresIn?: number): Promise<void>;
    find(id: string): Promise<object | undefined>;
    findByUid(uid: string): Promise<object | undefined>;
    findByUserCode(code: string): Promise<object | undefined>;
    consume(id: string): Promise<void>;
    destroy(id: string): Promise<void>;
    revokeByGrantId(grantId: string): Promise<void>;
  }

  export class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
    readonly AccessToken: {
      new (input: TokenInput): AccessToken;
      find(token: string): Promise<AccessToken | undefined>;
    };
    readonly RefreshToken: new (input: TokenInput) => Stored;
    readonly Grant: {
      new (input: { readonly accountId: string; readonly clientId: string }): Grant;
      find(id: string): Promise<Grant | undefined>;
    };
    readonly Client: { find(id: string): Promise<Client | undefined> };
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: object,
      options?: { readonly mergeWithLastSubmission?: boolean },
    ): Promise<void>;
  }
}
