import { createClient, Grants, type StandInClient } from './grants.js';
import { withDifferences } from './provider-user.js';
import { StandInServer } from './stand-in-server.js';

/** A provider that supports only OAuth 2.0: it has no discovery, no id tokens and no `iss` parameter. */
export abstract class OAuthStandIn<Endpoint extends string, User> extends StandInServer<Endpoint> {
  /** The user who signs in next. */
  abstract user: User;
  /** True if the user denies access. */
  isDenied = false;
  /** Differences in the objects that the endpoints return. `undefined` removes a member. */
  differences: Partial<Record<Endpoint, Record<string, unknown>>> = {};
  protected readonly clients = new Map<string, StandInClient>();
  protected readonly grants = new Grants<User>();

  protected abstract createClientId(): string;

  addClient({ redirectUri }: { redirectUri: string }): StandInClient {
    const client = createClient(redirectUri, this.createClientId());
    this.clients.set(client.clientId, client);
    return client;
  }

  override reset(): void {
    super.reset();
    this.isDenied = false;
    this.differences = {};
  }

  /** Returns a body with the differences that the test has set for the endpoint. */
  protected withDifferences<Body extends object>(endpoint: Endpoint, body: Body): Body {
    return withDifferences(body, this.differences[endpoint] ?? {});
  }
}
