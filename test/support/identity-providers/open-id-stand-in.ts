import type { ServerResponse } from 'node:http';
import type { JWTPayload } from 'jose';
import { Grants, hasScope, readCredentials, type Grant, type StandInClient } from './grants.js';
import { createProviderUser, withDifferences, type ProviderUser } from './provider-user.js';
import { sendFormPost, sendHtml, sendJson, sendRedirect } from './responses.js';
import { SigningKeys, type TokenSignature } from './signing-keys.js';
import { StandInServer, type StandInRequest } from './stand-in-server.js';

export type OpenIdEndpoint = 'discovery' | 'jwks' | 'authorize' | 'token' | 'userinfo';
type Request = StandInRequest<OpenIdEndpoint> & { endpoint: OpenIdEndpoint };

const DISCOVERY_PATH = '/.well-known/openid-configuration';
const ID_TOKEN_SECONDS = 3_600;

/**
 * An OpenID Provider without screens: the user signs in and consents immediately. Responses are correct by default, and a
 * test can change each response's content. `undefined` removes a member.
 */
export abstract class OpenIdStandIn<
  Client extends { clientId: string; redirectUri: string } = StandInClient,
> extends StandInServer<OpenIdEndpoint> {
  /** The user who signs in next. */
  user: ProviderUser = createProviderUser();
  /** True if the user denies access. */
  isDenied = false;
  /** The response that contains the claims about the user. The id token always contains `sub`. */
  claimsIn: 'id_token' | 'userinfo' = 'id_token';
  /** The issuer's path, such as `/common/v2.0`. The discovery document is available below every path. */
  issuerPath = '';
  signature: TokenSignature = 'published';
  /** Differences in the discovery document, the id token and other responses. */
  metadata: Record<string, unknown> = {};
  idTokenClaims: Record<string, unknown> = {};
  userinfoClaims: Record<string, unknown> = {};
  tokenResponse: Record<string, unknown> = {};
  /** Differences in the parameters of the redirect from the authorize endpoint to the client. */
  authorizationResponse: Record<string, string | undefined> = {};
  protected readonly clients = new Map<string, Client>();
  private readonly grants = new Grants<ProviderUser>();
  private keys!: SigningKeys;

  override async listen(): Promise<this> {
    this.keys ??= await SigningKeys.create();
    return super.listen();
  }

  get issuer(): string {
    return this.url + this.issuerPath;
  }

  /** Restores all responses. Clients, keys and the user stay the same. */
  override reset(): void {
    super.reset();
    this.isDenied = false;
    this.claimsIn = 'id_token';
    this.issuerPath = '';
    this.signature = 'published';
    this.metadata = {};
    this.idTokenClaims = {};
    this.userinfoClaims = {};
    this.tokenResponse = {};
    this.authorizationResponse = {};
  }

  /** Signs with a new key from now on. @param options `keepsOld`: true to keep publishing the previous keys */
  async rotateKeys(options: { keepsOld?: boolean } = {}): Promise<void> {
    await this.keys.rotate(options);
  }

  /**
   * Returns an id token about the user, as an app on a device receives it.
   * @param claims differences from the default claims. At least `aud` must be set
   */
  async issueIdToken(claims: JWTPayload & { aud: string | string[] }): Promise<string> {
    return this.signIdToken(this.user, claims);
  }

  /** Authenticates a client at the token endpoint. @returns true if its secret is valid */
  protected abstract isAuthentic(client: Client, clientSecret: string): Promise<boolean>;

  /** Returns the discovery document members in which this provider differs from most others. */
  protected ownMetadata(): Record<string, unknown> {
    return {};
  }

  /** Returns the claims about a user. */
  protected claimsOf(user: ProviderUser, _grant?: Grant<ProviderUser>): Record<string, unknown> {
    return user;
  }

  /** Returns the parameters of the redirect from the authorize endpoint, without `state`. */
  protected async createAuthorizationResponse(grant: Grant<ProviderUser>): Promise<Record<string, string>> {
    return { code: this.grants.createCode(grant), iss: this.issuer };
  }

  /** Returns the error of an authorization request that must not be redirected to the client. */
  protected findRequestError(parameters: Record<string, string>): string | undefined {
    const client = this.clients.get(parameters['client_id'] ?? '');
    if (!client) return 'invalid_client';
    if (parameters['redirect_uri'] !== client.redirectUri) return 'invalid_request: redirect_uri';
    const { code_challenge: challenge, code_challenge_method: method } = parameters;
    if (challenge !== undefined && method !== 'S256') return 'invalid_request: code_challenge_method';
    return undefined;
  }

  protected denial(): Record<string, string> {
    return { error: 'access_denied', iss: this.issuer };
  }

  protected async signIdToken(user: ProviderUser, claims: JWTPayload, clientSecret = ''): Promise<string> {
    const iat = Math.floor(Date.now() / 1_000);
    const times = { iat, exp: iat + ID_TOKEN_SECONDS, auth_time: iat };
    const about = this.claimsIn === 'id_token' ? this.claimsOf(user) : { sub: user.sub };
    const payload = { iss: this.issuer, ...about, ...times, ...claims, ...this.idTokenClaims };
    return this.keys.sign(withDifferences(payload, {}), this.signature, clientSecret);
  }

  protected async respond(response: ServerResponse, request: Request): Promise<void> {
    switch (request.endpoint) {
      case 'discovery':
        return sendJson(response, withDifferences(this.createMetadata(), this.metadata));
      case 'jwks':
        return sendJson(response, await this.keys.toJwks());
      case 'authorize':
        return this.authorize(response, { ...request.query, ...request.form });
      case 'token':
        return this.exchange(response, request);
      case 'userinfo': {
        const grant = this.grants.authorize(request);
        if (!grant) return sendJson(response, { error: 'invalid_token' }, 401);
        return sendJson(response, withDifferences(this.claimsOf(grant.user, grant), this.userinfoClaims));
      }
    }
  }

  protected override findEndpoint(path: string): OpenIdEndpoint | null {
    return path.endsWith(DISCOVERY_PATH) ? 'discovery' : super.findEndpoint(path);
  }

  private createMetadata(): Record<string, unknown> {
    return {
      issuer: this.issuer,
      authorization_endpoint: this.urlOf('authorize'),
      token_endpoint: this.urlOf('token'),
      userinfo_endpoint: this.urlOf('userinfo'),
      jwks_uri: this.urlOf('jwks'),
      response_types_supported: ['code'],
      response_modes_supported: ['query', 'form_post'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      scopes_supported: ['openid', 'email', 'profile'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      ...this.ownMetadata(),
    };
  }

  private async authorize(response: ServerResponse, parameters: Record<string, string>): Promise<void> {
    const error = this.findRequestError(parameters);
    if (error) return sendHtml(response, `<title>Error</title><p>${error}`, 400);
    const { redirect_uri = '', state, response_mode } = parameters;
    const result = this.isDenied
      ? this.denial()
      : await this.createAuthorizationResponse({ parameters, user: this.user });
    const all = withDifferences({ ...result, state }, this.authorizationResponse) as Record<string, string>;
    if (response_mode === 'form_post') sendFormPost(response, redirect_uri, all);
    else sendRedirect(response, redirect_uri, all);
  }

  private async exchange(response: ServerResponse, request: Request): Promise<void> {
    const { clientId, clientSecret } = readCredentials(request);
    const client = this.clients.get(clientId);
    if (!client || !(await this.isAuthentic(client, clientSecret)))
      return sendJson(response, { error: 'invalid_client' }, 401);
    if (request.form['grant_type'] !== 'authorization_code')
      return sendJson(response, { error: 'unsupported_grant_type' }, 400);
    const grant = this.grants.redeem(clientId, request.form);
    if (typeof grant === 'string')
      return sendJson(response, { error: 'invalid_grant', error_description: grant }, 400);
    const { parameters, user } = grant;
    const claims = withDifferences({ aud: clientId }, { nonce: parameters['nonce'] });
    const tokens = {
      access_token: this.grants.createToken(grant),
      token_type: 'Bearer',
      expires_in: ID_TOKEN_SECONDS,
      scope: parameters['scope'],
      id_token: hasScope(grant, 'openid') ? await this.signIdToken(user, claims, clientSecret) : undefined,
    };
    sendJson(response, withDifferences(tokens, this.tokenResponse));
  }
}
