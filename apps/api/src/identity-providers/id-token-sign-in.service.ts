import { Injectable } from '@nestjs/common';
import type { JWTVerifyGetKey } from 'jose';
import { LRUCache } from 'lru-cache';
import { GatehouseError, type ProjectContext, type ProviderClaims } from '@gatehouse/domain';
import { OAuthFlowsRepository, Transactions, type ConnectedProvider } from '@gatehouse/persistence';
import { now, sha256 } from '@gatehouse/platform';
import type { Client } from '../http/request-context.js';
import type { AuthResponse } from '../sign-in/dto/auth.response.js';
import { ProviderSignInService } from '../sign-in/provider-sign-in.service.js';
import { SignInMetricsService } from '../sign-in/sign-in-metrics.service.js';
import type { IdTokenRequest } from './dto/oauth.request.js';
import { ProviderConnectionsService, type Connection } from './provider-connections.service.js';
import { toProfile } from './provider-profiles.service.js';
import { ProviderRequestsService } from './provider-requests.service.js';

// oxlint-disable-next-line no-restricted-globals -- only the type
type Fetch = typeof fetch;

/** Algorithms of id tokens. A symmetric one would make the client secret a signing key. */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'];

/** Maximum age of an id token in seconds: an app sends it as soon as it has received it. */
const MAX_AGE_SECONDS = 60 * 60;

/** Signs customers in with the id tokens that apps receive from Google and Apple. */
@Injectable()
export class IdTokenSignInService {
  /** By URL of the key set. */
  private readonly keySets = new LRUCache<string, JWTVerifyGetKey>({ max: 100 });

  constructor(
    private readonly connections: ProviderConnectionsService,
    private readonly requests: ProviderRequestsService,
    private readonly flows: OAuthFlowsRepository,
    private readonly signIns: ProviderSignInService,
    private readonly transactions: Transactions,
    private readonly metrics: SignInMetricsService,
  ) {}

  /**
   * Signs in the customer of an id token, once.
   * @throws GatehouseError `method_not_enabled` for a provider without native sign-ins, `provider_unavailable`,
   *   `sign_in_failed`, and like `ProviderSignInService.signIn`
   */
  signIn(
    project: ProjectContext,
    provider: ConnectedProvider,
    request: IdTokenRequest,
    client: Client,
  ): Promise<AuthResponse> {
    return this.metrics.count('id_token', async () => {
      const { profile, requestedAt, expiresAt } = await this.requests.run(provider, async () => {
        const connection = await this.connections.connect(provider);
        if (!connection.preset.hasNativeSignIn) throw new GatehouseError('method_not_enabled');
        const claims = await this.verify(connection, provider, request);
        return {
          profile: toProfile(provider, claims),
          requestedAt: new Date(claims.iat * 1_000),
          expiresAt: new Date(claims.exp * 1_000),
        };
      });
      const tokenHash = sha256(`${provider.id} ${request.idToken}`);
      if (!(await this.flows.claimIdToken(tokenHash, expiresAt))) throw new GatehouseError('sign_in_failed');
      const consume = () => Promise.resolve(true);
      const proof = { provider, profile, requestedAt, locale: request.locale, consume };
      return this.transactions.run((tx) => this.signIns.signIn(tx, project, proof, client));
    });
  }

  /** @throws Error for an id token that is not valid */
  private async verify(
    { configuration, client }: Connection,
    { clientId, clientIds, requireNonce }: ConnectedProvider,
    { idToken, nonce }: IdTokenRequest,
  ): Promise<ProviderClaims & { iat: number; exp: number }> {
    const { issuer, jwks_uri: keySetUrl } = configuration.serverMetadata();
    const { jwtVerify } = await import('jose');
    const keySet = await this.keySet(keySetUrl!, configuration[client.customFetch] as Fetch);
    const { payload } = await jwtVerify(idToken, keySet, {
      issuer,
      audience: [clientId, ...clientIds],
      algorithms: ALGORITHMS,
      requiredClaims: ['sub', 'iat', 'exp'],
      maxTokenAge: MAX_AGE_SECONDS,
      currentDate: now(),
    });
    // Without `requireNonce`, an app may not know the nonce that the SDK of its provider has created.
    const isCorrect = nonce === undefined ? !requireNonce : payload['nonce'] === nonce;
    if (!isCorrect) throw new Error('the nonce is missing or not correct');
    return { ...payload, iat: payload.iat!, exp: payload.exp! };
  }

  private async keySet(url: string, fetch: Fetch): Promise<JWTVerifyGetKey> {
    const cached = this.keySets.get(url);
    if (cached) return cached;
    const { createRemoteJWKSet, customFetch } = await import('jose');
    const keySet = createRemoteJWKSet(new URL(url), { [customFetch]: fetch });
    this.keySets.set(url, keySet);
    return keySet;
  }
}
