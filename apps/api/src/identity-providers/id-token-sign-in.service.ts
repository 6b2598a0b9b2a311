import { Injectable } from '@nestjs/common';
import type { JWTVerifyGetKey } from 'jose';
import { LRUCache } from 'lru-cache';
import { GatehouseError, parseValidUrl, type ProjectContext } from '@gatehouse/domain';
import { OAuthFlowsRepository, type ConnectedProvider } from '@gatehouse/persistence';
import { now, sha256 } from '@gatehouse/platform';
import { AccountsService } from '../accounts/accounts.service.js';
import type { Client } from '../http/request-context.js';
import type { AuthResponse } from '../sign-in/dto/auth.response.js';
import { ProviderSignInService } from '../sign-in/provider-sign-in.service.js';
import { SignInMetricsService } from '../sign-in/sign-in-metrics.service.js';
import type { IdTokenRequest } from './dto/oauth.request.js';
import { ProviderConnectionsService, type Connection } from './provider-connections.service.js';
import { toProfile } from './provider-profiles.service.js';
import { ProviderRefusalsService } from './provider-refusals.service.js';
import { ProviderRequestsService } from './provider-requests.service.js';
import { verifyIdToken, type VerifiedIdToken } from './verify-id-token.js';

// oxlint-disable-next-line no-restricted-globals -- only the type
type Fetch = typeof fetch;

/** Signs customers in with the id tokens that apps receive from Google and Apple. */
@Injectable()
export class IdTokenSignInService {
  /** By URL of the key set. */
  private readonly keySets = new LRUCache<string, JWTVerifyGetKey>({ max: 100 });

  constructor(
    private readonly connections: ProviderConnectionsService,
    private readonly requests: ProviderRequestsService,
    private readonly flows: OAuthFlowsRepository,
    private readonly refusals: ProviderRefusalsService,
    private readonly signIns: ProviderSignInService,
    private readonly accounts: AccountsService,
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
      const { profile, token } = await this.requests.run(provider, async () => {
        const connection = await this.connections.connect(provider);
        if (!connection.preset.hasNativeSignIn) throw new GatehouseError('method_not_enabled');
        const verified = await this.verify(connection, provider, request);
        return { profile: toProfile(provider, verified.claims), token: verified };
      });
      const tokenHash = sha256(`${provider.id} ${token.signedText}`);
      if (!(await this.flows.claimIdToken(tokenHash, token.acceptedUntil)))
        throw new GatehouseError('sign_in_failed');
      const refusal = await this.refusals.find(project, provider, profile, client);
      if (refusal) throw new GatehouseError(refusal);
      const consume = () => Promise.resolve(true);
      const proof = { provider, profile, requestedAt: token.issuedAt, locale: request.locale, consume };
      return this.accounts.run(project, (tx, admission) =>
        this.signIns.signIn(tx, project, proof, client, admission),
      );
    });
  }

  /** @throws Error for an id token that is not valid */
  private async verify(
    { configuration, client }: Connection,
    { clientId, clientIds, requireNonce }: ConnectedProvider,
    { idToken, nonce }: IdTokenRequest,
  ): Promise<VerifiedIdToken> {
    const { issuer, jwks_uri: keySetUrl } = configuration.serverMetadata();
    const keySet = await this.keySet(keySetUrl!, configuration[client.customFetch] as Fetch);
    const audience = [clientId, ...clientIds];
    return verifyIdToken(idToken, keySet, { issuer, audience, nonce, requireNonce }, now());
  }

  private async keySet(url: string, fetch: Fetch): Promise<JWTVerifyGetKey> {
    const cached = this.keySets.get(url);
    if (cached) return cached;
    const { createRemoteJWKSet, customFetch } = await import('jose');
    const keySet = createRemoteJWKSet(parseValidUrl(url), { [customFetch]: fetch });
    this.keySets.set(url, keySet);
    return keySet;
  }
}
