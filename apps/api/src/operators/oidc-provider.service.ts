import { Inject, Injectable } from '@nestjs/common';
import type { Configuration, CustomFetch } from 'openid-client';
import { LRUCache } from 'lru-cache';
import {
  mergeUserInfo,
  parseValidUrl,
  readClaimValues,
  readEmail,
  readPersonName,
  type ProviderClaims,
} from '@gatehouse/domain';
import {
  Config,
  LOGGER,
  OutboundClient,
  outboundFetch,
  userAgent,
  type Logger,
  type OperatorOidcConfig,
} from '@gatehouse/platform';
import {
  authenticateWithSecret,
  discoverIssuer,
  MAX_PROVIDER_RESPONSE_BYTES,
  PROVIDER_METADATA_TTL_MS,
  PROVIDER_TIMEOUT_MS,
  type OpenIdClient,
} from '../http/discover-issuer.js';
import { describeProviderFailure } from '../http/provider-failure.js';
import { NO_ACCESS_TOKEN, tolerateTokenResponses } from '../http/token-response.js';
import { ProviderRequestsService } from '../identity-providers/provider-requests.service.js';

/** The values that prove that an authorization response belongs to a request. */
export interface OidcProof {
  state: string;
  nonce: string;
  codeVerifier: string;
}

interface Connection {
  client: OpenIdClient;
  configuration: Configuration;
}

/** The id of the provider in the log. */
const provider = { id: 'operators', projectId: null };

/** Sends requests to the OpenID Provider of operators. Its URL is a setting, so it may have a private address. */
@Injectable()
export class OidcProviderService {
  private readonly fetch: CustomFetch;
  private readonly cache = new LRUCache<'connection', Promise<Connection>>({
    max: 1,
    ttl: PROVIDER_METADATA_TTL_MS,
  });

  constructor(
    private readonly requests: ProviderRequestsService,
    private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const outbound = OutboundClient.forOperatorTargets(PROVIDER_TIMEOUT_MS);
    this.fetch = tolerateTokenResponses(
      outboundFetch(outbound, { 'user-agent': userAgent }, MAX_PROVIDER_RESPONSE_BYTES),
    );
  }

  /**
   * Returns the URL of the provider at which an operator signs in.
   * @param isPrompted true if the operator must sign in again even if the provider has a session
   * @throws GatehouseError `provider_unavailable`, `sign_in_failed`
   */
  authorizationUrl(settings: OperatorOidcConfig, proof: OidcProof, isPrompted: boolean): Promise<string> {
    return this.requests.run(provider, async () => {
      const { client, configuration } = await this.connect(settings);
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: this.callbackUrl,
        scope: settings.scopes.join(' '),
        state: proof.state,
        nonce: proof.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(proof.codeVerifier),
        code_challenge_method: 'S256',
        ...(isPrompted ? { max_age: '0', prompt: 'login' } : {}),
      });
      return url.href;
    });
  }

  /**
   * Verifies an authorization response, and returns the claims about the operator.
   * @param parameters the query with which the browser has returned
   * @throws GatehouseError `provider_unavailable`, `sign_in_failed`
   */
  loadClaims(
    settings: OperatorOidcConfig,
    { state, nonce, codeVerifier }: OidcProof,
    parameters: Readonly<Record<string, string>>,
  ): Promise<ProviderClaims> {
    return this.requests.run(provider, async () => {
      const { client, configuration } = await this.connect(settings);
      const url = parseValidUrl(this.callbackUrl);
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      const tokens = await client.authorizationCodeGrant(configuration, url, {
        pkceCodeVerifier: codeVerifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      const claims = tokens.claims()!;
      const accessToken = tokens.access_token;
      const canAsk = configuration.serverMetadata().userinfo_endpoint && accessToken !== NO_ACCESS_TOKEN;
      if (!canAsk || (hasAccess(claims, settings) && isDescribed(claims))) return claims;
      try {
        return mergeUserInfo(claims, await client.fetchUserInfo(configuration, accessToken, claims.sub));
      } catch (error) {
        if (!hasAccess(claims, settings)) throw error;
        const { reason } = describeProviderFailure(error);
        this.logger.warn({ providerId: provider.id, reason }, 'optional request to identity provider failed');
        return claims;
      }
    });
  }

  private get callbackUrl(): string {
    return `${this.config.publicUrl}/operator/v1/oidc/callback`;
  }

  private async connect(settings: OperatorOidcConfig): Promise<Connection> {
    const cached = this.cache.get('connection');
    if (cached) return cached;
    const connection = this.discover(settings);
    this.cache.set('connection', connection);
    connection.catch(() => this.cache.delete('connection'));
    return connection;
  }

  private async discover({ issuer, clientId, clientSecret }: OperatorOidcConfig): Promise<Connection> {
    const client = await import('openid-client');
    const authentication = authenticateWithSecret(client, clientSecret);
    const options = { issuer, clientId, authentication, fetch: this.fetch };
    return { client, configuration: await discoverIssuer(client, options) };
  }
}

/** Returns whether the claims contain those that decide about access, which no default may replace. */
function hasAccess(claims: ProviderClaims, { roleClaim, organizationsClaim }: OperatorOidcConfig): boolean {
  const paths = [roleClaim, ...(organizationsClaim ? [organizationsClaim] : [])];
  return paths.every((path) => readClaimValues(claims, path).length > 0);
}

/** Returns whether the claims contain the email and the name of a new operator. */
const isDescribed = (claims: ProviderClaims): boolean =>
  readEmail(claims) !== null && readPersonName(claims['name']) !== null;
