import { generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';
import { jwtVerify } from 'jose';
import { hasScope, type Grant } from './grants.js';
import { OpenIdStandIn, type OpenIdEndpoint } from './open-id-stand-in.js';
import { createProviderUser, type ProviderUser } from './provider-user.js';

/** A team's Services ID at Apple, and the key that signs its client secrets. */
export interface AppleClient {
  clientId: string;
  teamId: string;
  keyId: string;
  /** PEM, PKCS #8: the content of the file that Apple offers for download. */
  privateKey: string;
  redirectUri: string;
}

type RegisteredClient = AppleClient & { publicKey: KeyObject };

/** Maximum client secret lifetime, in seconds: six months. */
const MAX_SECRET_SECONDS = 15_777_000;
const RELAY_DOMAIN = '@privaterelay.appleid.com';

/** Returns an identifier in Apple's format: ten characters. */
const createAppleId = (): string => randomBytes(5).toString('hex').toUpperCase();

/** Returns a user who hides their email address behind Apple's relay. */
export const createHiddenUser = (claims: Partial<ProviderUser> = {}): ProviderUser =>
  createProviderUser({ email: `${randomBytes(5).toString('hex')}${RELAY_DOMAIN}`, ...claims });

/**
 * A stand-in for Sign in with Apple (https://developer.apple.com/documentation/signinwithapplerestapi). Apple differs
 * from other providers: the client secret is a JWT, the response is posted if a name or an email is requested,
 * booleans are strings, there is no userinfo endpoint, and only the first response contains the name, in the field
 * `user`.
 */
export class AppleStandIn extends OpenIdStandIn<RegisteredClient> {
  protected readonly paths: Record<OpenIdEndpoint, string> = {
    discovery: '/.well-known/openid-configuration',
    jwks: '/auth/keys',
    authorize: '/auth/authorize',
    token: '/auth/token',
    userinfo: '/auth/userinfo',
  };
  /** The people who have used a client before, as `<client id> <sub>`. */
  private readonly known = new Set<string>();

  static async start(): Promise<AppleStandIn> {
    return new AppleStandIn().listen();
  }

  addClient({ redirectUri }: { redirectUri: string }): AppleClient {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const client: AppleClient = {
      clientId: `com.example.${randomBytes(5).toString('hex')}`,
      teamId: createAppleId(),
      keyId: createAppleId(),
      privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
      redirectUri,
    };
    this.clients.set(client.clientId, { ...client, publicKey });
    return client;
  }

  protected override ownMetadata(): Record<string, unknown> {
    return {
      userinfo_endpoint: undefined,
      response_modes_supported: ['query', 'fragment', 'form_post'],
      scopes_supported: ['openid', 'email', 'name'],
      token_endpoint_auth_methods_supported: ['client_secret_post'],
      code_challenge_methods_supported: undefined,
      authorization_response_iss_parameter_supported: undefined,
    };
  }

  /** Returns Apple's id token claims, which contain no name. */
  protected override claimsOf(user: ProviderUser): Record<string, unknown> {
    const { sub, email, email_verified: verified } = user;
    return {
      sub,
      email,
      email_verified: typeof verified === 'boolean' ? String(verified) : verified,
      ...(email?.endsWith(RELAY_DOMAIN) ? { is_private_email: 'true' } : {}),
      nonce_supported: true,
    };
  }

  protected override findRequestError(parameters: Record<string, string>): string | undefined {
    const { scope = '', response_mode } = parameters;
    if (/\b(name|email)\b/.test(scope) && response_mode !== 'form_post')
      return 'invalid_request: response_mode must be form_post when name or email scope is requested.';
    return super.findRequestError(parameters);
  }

  protected override async createAuthorizationResponse(
    grant: Grant<ProviderUser>,
  ): Promise<Record<string, string>> {
    const { code } = await super.createAuthorizationResponse(grant);
    const { parameters, user } = grant;
    const clientId = parameters['client_id']!;
    const response: Record<string, string> = { code: code! };
    if (parameters['response_type'] === 'code id_token')
      response['id_token'] = await this.signIdToken(user, { aud: clientId, nonce: parameters['nonce'] });
    const key = `${clientId} ${user.sub}`;
    if (!this.known.has(key) && hasScope(grant, 'name')) {
      const name = { firstName: user.given_name, lastName: user.family_name };
      response['user'] = JSON.stringify({ name, email: user.email });
    }
    this.known.add(key);
    return response;
  }

  protected override denial(): Record<string, string> {
    return { error: 'user_cancelled_authorize' };
  }

  protected async isAuthentic(client: RegisteredClient, clientSecret: string): Promise<boolean> {
    const { clientId, teamId, keyId, publicKey } = client;
    try {
      const { payload, protectedHeader } = await jwtVerify(clientSecret, publicKey, {
        algorithms: ['ES256'],
        issuer: teamId,
        subject: clientId,
        audience: this.issuer,
        requiredClaims: ['iat', 'exp'],
      });
      return protectedHeader.kid === keyId && payload.exp! - Date.now() / 1_000 <= MAX_SECRET_SECONDS;
    } catch {
      return false;
    }
  }
}
