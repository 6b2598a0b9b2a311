import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { exportJWK } from 'jose';
import type { Configuration, Provider } from 'oidc-provider';
import { freePort } from '../server-process.mjs';
import { createClient, type StandInClient } from './grants.js';
import { OpenIdStorage } from './open-id-storage.js';
import { createProviderUser, type ProviderUser } from './provider-user.js';
import { generateRsaKey } from './signing-keys.js';

/** The client authentication method at the token endpoint. */
export type ClientAuthentication = 'client_secret_basic' | 'client_secret_post';

const CLAIMS = {
  email: ['email', 'email_verified'],
  profile: ['name', 'given_name', 'family_name', 'picture', 'locale', 'preferred_username'],
};
/** Claims that providers send without a corresponding scope. */
const OTHER_CLAIMS = ['hd', 'tid', 'oid', 'xms_edov', 'groups'];

/** A real OpenID Provider (npm `oidc-provider`) on loopback. The user signs in and consents immediately. */
export class OpenIdProvider {
  /**
   * The user who signs in next. As with any provider, a user agent stays signed in as the previous user until its
   * client requests a new sign-in, or until `endSessions` is called.
   */
  user: ProviderUser = createProviderUser();
  /** True if the user denies access. */
  isDenied = false;
  /** The response that contains the claims about the user. The id token always contains `sub`. */
  claimsIn: 'id_token' | 'userinfo' = 'id_token';
  /** Number of times that a user had to sign in. */
  signInCount = 0;
  private readonly users = new Map<string, ProviderUser>();
  private readonly storage = new OpenIdStorage();
  private library!: Provider;
  private server: Server | undefined;
  private port = 0;

  /** @param extraClaims claim names in addition to the standard claims and the claims of known providers */
  static async start({ extraClaims = [] }: { extraClaims?: string[] } = {}): Promise<OpenIdProvider> {
    const provider = new OpenIdProvider();
    // The port is reserved, so no other server takes it while this one is stopped.
    provider.port = await freePort();
    const [{ Provider: Library, interactionPolicy }, jwk] = await Promise.all([loadLibrary(), createJwk()]);
    const policy = interactionPolicy.base();
    const { Check } = interactionPolicy;
    // The library compares whole seconds, so its own check would accept a sign-in within the same second.
    policy.get('login')!.checks.add(
      new Check('max_age_zero', 'a new sign-in is required', 'login_required', ({ oidc }) => {
        const { max_age } = oidc.params!;
        return max_age !== undefined && Number(max_age) === 0 && !oidc.result?.login;
      }),
    );
    policy
      .get('consent')!
      .checks.add(
        new Check('is_denied', 'the person denies access', 'access_denied', () => provider.isDenied),
      );
    provider.library = new Library(provider.issuer, {
      ...provider.configure(extraClaims),
      jwks: { keys: [jwk] },
      interactions: { policy, url: (_context, { uid }) => `/interaction/${uid}` },
    });
    return provider.listen();
  }

  /** Starts listening. After `stop`, the URL stays the same. */
  async listen(): Promise<this> {
    const respond = this.library.callback();
    this.server = createServer((request, response) => {
      if (request.url?.startsWith('/interaction/')) void this.interact(request, response);
      else void respond(request, response);
    }).listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Registers a client. As in the library, each client has one authentication method. */
  addClient({
    redirectUri,
    authentication = 'client_secret_post',
  }: {
    redirectUri: string;
    authentication?: ClientAuthentication;
  }): StandInClient {
    const client = createClient(redirectUri, randomUUID());
    this.storage.addClient({
      client_id: client.clientId,
      client_secret: client.clientSecret,
      redirect_uris: [redirectUri],
      response_types: ['code'],
      grant_types: ['authorization_code'],
      token_endpoint_auth_method: authentication,
    });
    return client;
  }

  /** Ends all sessions. */
  endSessions(): void {
    this.storage.endSessions();
  }

  async stop(): Promise<void> {
    if (!this.server?.listening) return;
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private configure(extraClaims: string[]): Configuration {
    return {
      adapter: this.storage.createAdapter,
      claims: { openid: ['sub', ...OTHER_CLAIMS, ...extraClaims], ...CLAIMS },
      // findAccount decides which response contains the claims, because a test can change that.
      conformIdTokenClaims: false,
      cookies: {
        keys: [randomBytes(32).toString('hex')],
        // Browsers send cookies to all ports of a host, and tests use several providers.
        names: {
          session: `session_${this.port}`,
          interaction: `interaction_${this.port}`,
          resume: `resume_${this.port}`,
        },
      },
      features: { devInteractions: { enabled: false } },
      findAccount: (_context, sub) => ({
        accountId: sub,
        claims: (use) => (use === 'id_token' && this.claimsIn === 'userinfo' ? { sub } : this.claimsOf(sub)),
      }),
      pkce: { required: () => true },
      // The library's error page loads a font from another host.
      renderError: (context, { error, error_description: description }) => {
        context.type = 'text/plain';
        context.body = `${error}: ${description ?? ''}`;
      },
      ttl: { AccessToken: 3_600, Grant: 86_400, IdToken: 3_600, Interaction: 3_600, Session: 86_400 },
    };
  }

  private claimsOf(sub: string): ProviderUser {
    return this.user.sub === sub ? this.user : this.users.get(sub)!;
  }

  /** Responds to the pages for sign-in and consent: the user grants or denies access. */
  private async interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const { params, prompt, session } = await this.library.interactionDetails(request, response);
      if (this.isDenied) {
        const error_description = 'the person denies access';
        const result = { error: 'access_denied', error_description };
        return await this.library.interactionFinished(request, response, result);
      }
      const isSignIn = prompt.name === 'login';
      const accountId = isSignIn ? this.signIn() : session!.accountId;
      const grant = new this.library.Grant({ accountId, clientId: String(params['client_id']) });
      grant.addOIDCScope(String(params['scope']));
      const consent = { grantId: await grant.save() };
      const result = isSignIn ? { login: { accountId }, consent } : { consent };
      await this.library.interactionFinished(request, response, result);
    } catch (error) {
      response.writeHead(400, { 'Content-Type': 'text/plain' }).end(String(error));
    }
  }

  private signIn(): string {
    this.signInCount += 1;
    this.users.set(this.user.sub, this.user);
    return this.user.sub;
  }
}

/**
 * Loads the library without its warning about Node.js 20. Gatehouse supports Node.js 20, and everything that the
 * tests use works with it.
 */
async function loadLibrary() {
  const { warn } = console;
  console.warn = (...parts: unknown[]) => {
    if (!String(parts[0]).includes('Unsupported runtime')) warn(...parts);
  };
  try {
    return await import('oidc-provider');
  } finally {
    console.warn = warn;
  }
}

async function createJwk() {
  const { privateKey } = await generateRsaKey();
  return { ...(await exportJWK(privateKey)), kid: randomUUID(), use: 'sig', alg: 'RS256' };
}
