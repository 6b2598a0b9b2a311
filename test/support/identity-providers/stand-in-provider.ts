import { randomUUID } from 'node:crypto';
import { createClient, type StandInClient } from './grants.js';
import { OpenIdStandIn, type OpenIdEndpoint } from './open-id-stand-in.js';

/** An OpenID Provider that can send any response, including ones that a correct provider would never send. */
export class StandInProvider extends OpenIdStandIn {
  protected readonly paths: Record<OpenIdEndpoint, string> = {
    discovery: '/.well-known/openid-configuration',
    jwks: '/jwks',
    authorize: '/authorize',
    token: '/token',
    userinfo: '/userinfo',
  };

  static async start(): Promise<StandInProvider> {
    return new StandInProvider().listen();
  }

  /** Registers a client. @param credentials default: new ones */
  addClient({
    redirectUri,
    ...credentials
  }: Pick<StandInClient, 'redirectUri'> & Partial<StandInClient>): StandInClient {
    const client = { ...createClient(redirectUri, randomUUID()), ...credentials };
    this.clients.set(client.clientId, client);
    return client;
  }

  protected async isAuthentic(client: StandInClient, clientSecret: string): Promise<boolean> {
    return clientSecret === client.clientSecret;
  }
}
