import { Injectable } from '@nestjs/common';
import type { ClientAuth, Configuration, CustomFetch, ServerMetadata } from 'openid-client';
import type { JWTVerifyGetKey } from 'jose';
import { LRUCache } from 'lru-cache';
import {
  checkKeys,
  checkMetadata,
  failed,
  isJsonObject,
  isNumericDate,
  mergeUserInfo,
  parseValidUrl,
  passed,
  type ConnectionCheck,
  type ProviderClaims,
} from '@gatehouse/domain';
import { now } from '@gatehouse/platform';
import type {
  AppToken,
  AuthenticationRequest,
  StartedFlow,
  CallbackParameters,
  IdentityProtocol,
  ProtocolProvider,
  ProviderSignInResult,
  CallbackFlow,
  VerifiedAppToken,
} from '../identity-protocol.js';
import { ConnectionChecksService, reasonOf } from '../oauth-client/connection-checks.service.js';
import {
  authenticateWithSecret,
  discoverIssuer,
  type OpenIdClient,
} from '../oauth-client/discover-issuer.js';
import {
  OAuthClientSettingsFormat,
  useSecret,
  type OAuthClientSettings,
} from '../oauth-client/oauth-client-settings.js';
import { OAuthConnectionsService, type Connection } from '../oauth-client/oauth-connections.service.js';
import { beginAuthorization, exchangeCode } from '../oauth-client/oauth-flow.js';
import { OptionalRequestsService } from '../oauth-client/optional-requests.service.js';
import { NO_ACCESS_TOKEN } from '../oauth-client/token-response.js';
import { isDenial } from '../provider-failure.js';
import { detectAuthTimeSupport } from './auth-time.js';
import { openIdConnectPresets } from './presets/index.js';
import type { OpenIdConnectPreset } from './presets/openid-connect-preset.js';
import { signClientSecret } from './sign-client-secret.js';
import { verifyIdToken } from './verify-id-token.js';

type Provider = ProtocolProvider<OAuthClientSettings>;

// oxlint-disable-next-line no-restricted-globals -- only the type
type Fetch = typeof fetch;

const getPreset = ({ type }: Provider): OpenIdConnectPreset =>
  openIdConnectPresets[type as keyof typeof openIdConnectPresets];

/** OpenID Connect with the authorization code flow (OpenID Connect Core, section 3.1). */
@Injectable()
export class OpenIdConnectProtocol implements IdentityProtocol<OAuthClientSettings> {
  readonly presets = openIdConnectPresets;
  readonly settings = new OAuthClientSettingsFormat(openIdConnectPresets, ['openid']);
  /** Key sets by URL. */
  private readonly keySets = new LRUCache<string, JWTVerifyGetKey>({ max: 100 });

  constructor(
    private readonly connections: OAuthConnectionsService,
    private readonly optionalRequests: OptionalRequestsService,
    private readonly checks: ConnectionChecksService,
  ) {}

  async begin(provider: Provider, request: AuthenticationRequest): Promise<StartedFlow> {
    const { authorizationParameters } = getPreset(provider);
    const { scopes } = provider.settings();
    return beginAuthorization(await this.connect(provider), request, scopes, ({ nonce }) => ({
      ...authorizationParameters,
      nonce,
    }));
  }

  isDenied({ error }: CallbackParameters): boolean {
    return isDenial(error);
  }

  async finish(provider: Provider, flow: CallbackFlow): Promise<ProviderSignInResult> {
    const { requiredClaims, parameters } = flow;
    const connection = await this.connect(provider);
    const { client, configuration } = connection;
    const tokens = await exchangeCode(connection, flow, { withIdToken: true });
    const idToken = tokens.claims()!;
    if (!isNumericDate(idToken.exp)) throw new Error('the expiry of the id token is not a valid time');
    assertTenant(provider.settings(), idToken);
    const accessToken = tokens.access_token;
    const canRequestUserInfo =
      configuration.serverMetadata().userinfo_endpoint && accessToken !== NO_ACCESS_TOKEN;
    const optionalRequests = this.optionalRequests.forProvider(provider);
    const request = () => client.fetchUserInfo(configuration, accessToken, idToken.sub);
    let claims: ProviderClaims = idToken;
    if (canRequestUserInfo && !requiredClaims.areComplete(idToken)) {
      const userInfo = await (requiredClaims.areSufficient(idToken)
        ? optionalRequests.run(request)
        : request());
      if (userInfo) claims = mergeUserInfo(idToken, userInfo);
    }
    return {
      claims: provider.type === 'apple' ? mergeUserInfo(claims, readAppleName(parameters)) : claims,
      // Only the id token is signed.
      authTime: idToken.auth_time,
      isIncomplete: optionalRequests.wasUnavailable,
      sendsAuthTime: detectAuthTimeSupport(provider, idToken),
    };
  }

  async verifyAppToken(provider: Provider, { idToken, nonce }: AppToken): Promise<VerifiedAppToken> {
    const { configuration, client } = await this.connect(provider);
    const { issuer, jwks_uri: keySetUrl } = configuration.serverMetadata();
    const keySet = await this.keySet(keySetUrl!, configuration[client.customFetch] as Fetch);
    const { clientId, clientIds, requireNonce, ...settings } = provider.settings();
    const conditions = { issuer, audience: [clientId, ...clientIds], nonce, requireNonce };
    const token = await verifyIdToken(idToken, keySet, conditions, now());
    assertTenant(settings, token.claims);
    return token;
  }

  async test(provider: Provider, callbackUrl: string): Promise<ConnectionCheck[]> {
    const issuer = this.checks.checkIssuer(provider);
    if (!issuer.ok) return [issuer];
    const key = getPreset(provider).signsClientSecret ? [await checkPrivateKey(provider)] : [];
    const checks = [issuer, ...key];
    if (key.some(({ ok }) => !ok)) return checks;
    const opened = await this.checks.open(provider, configureFor(provider));
    if (Array.isArray(opened)) return [...checks, ...opened];
    const metadata = opened.configuration.serverMetadata();
    const discovered = [
      passed('discovery', 'The discovery document is valid.'),
      passed('issuer', 'The issuer matches the discovery document.'),
      ...checkMetadata(metadata, isPublic(provider), this.checks.policy),
    ];
    const canContinue = discovered.every(({ name, ok }) => ok || name !== 'endpoints');
    const requested = canContinue
      ? await Promise.all([
          this.checkKeys(provider, metadata.jwks_uri!),
          this.checks.checkCredentials(provider, opened, callbackUrl),
        ])
      : [];
    return [...checks, ...discovered, ...requested];
  }

  private async checkKeys(provider: Provider, url: string): Promise<ConnectionCheck> {
    try {
      return checkKeys(await this.checks.fetchJson(provider, url));
    } catch (error) {
      const message = `The keys at jwks_uri cannot be loaded: ${reasonOf(error)}. Check that Gatehouse can reach this URL.`;
      return failed('keys', message);
    }
  }

  private connect(provider: Provider): Promise<Connection> {
    return this.connections.connect(provider, configureFor(provider));
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

/** Returns a function that discovers the provider's endpoints. */
const configureFor =
  (provider: Provider) =>
  (client: OpenIdClient, fetch: CustomFetch): Promise<Configuration> => {
    const { issuer } = provider;
    const { clientId } = provider.settings();
    return discoverIssuer(client, {
      issuer,
      clientId,
      authentication: authenticate(client, provider),
      fetch,
    });
  };

/**
 * Returns the client authentication method for the token endpoint: a secret, a secret that Gatehouse signs, or
 * none.
 */
function authenticate(client: OpenIdClient, provider: Provider): ClientAuth {
  const settings = provider.settings();
  if (!getPreset(provider).signsClientSecret)
    return authenticateWithSecret(client, useSecret(settings.clientSecret));
  const sign = async ({ issuer }: ServerMetadata, _: unknown, body: URLSearchParams): Promise<void> => {
    body.set('client_id', settings.clientId);
    body.set('client_secret', await signClientSecret(settings, issuer));
  };
  // oxlint-disable-next-line typescript/no-misused-promises -- the package waits for the promise
  return sign;
}

const isPublic = (provider: Provider): boolean =>
  !provider.settings().clientSecret && !getPreset(provider).signsClientSecret;

async function checkPrivateKey(provider: Provider): Promise<ConnectionCheck> {
  try {
    await signClientSecret(provider.settings(), provider.issuer);
    return passed('private_key', 'The private key signs client secrets.');
  } catch {
    return failed('private_key', 'The private key cannot sign. Set teamId, keyId and privateKey again.');
  }
}

/** @throws Error for a Microsoft tenant that may not sign in */
function assertTenant({ tenants }: Pick<OAuthClientSettings, 'tenants'>, { tid }: ProviderClaims): void {
  if (tenants.length > 0 && !tenants.includes(String(tid))) throw new Error('the tenant is not allowed');
}

/**
 * Returns the name that Apple sends with the code at the first sign-in. It is not signed, so the client can set
 * it, like the name in a registration.
 */
function readAppleName({ user }: CallbackParameters): ProviderClaims {
  if (!user) return {};
  try {
    const { name } = JSON.parse(user) as { name?: unknown };
    return isJsonObject(name) ? { given_name: name['firstName'], family_name: name['lastName'] } : {};
  } catch {
    return {};
  }
}
