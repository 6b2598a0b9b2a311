import { Inject, Injectable } from '@nestjs/common';
import {
  hasSignedInSince,
  isEmailTrusted,
  isJsonObject,
  isNumericDate,
  isProfileComplete,
  mergeUserInfo,
  parseValidUrl,
  readProfile,
  readStatesAuthTime,
  type ProviderClaims,
  type ProviderProfile,
} from '@gatehouse/domain';
import { IdentityProvidersRepository, type ConnectedProvider, type OAuthFlow } from '@gatehouse/persistence';
import { LOGGER, now, userAgent, type Logger } from '@gatehouse/platform';
import { describeProviderFailure } from '../http/provider-failure.js';
import { NO_ACCESS_TOKEN } from '../http/token-response.js';
import { ProviderConnectionsService, type Connection } from './provider-connections.service.js';
import { ProviderRequestsService } from './provider-requests.service.js';

/** The parameters with which a browser returns from a provider. */
export type CallbackParameters = Readonly<Record<string, string>>;

/** The profile of a person who has returned from a provider. */
export interface LoadedProfile {
  profile: ProviderProfile;
  /** True if the provider did not respond to a request that may have returned the email. */
  isEmailUnavailable: boolean;
}

/** Sends a request without which a sign-in can continue. Returns null if it fails. */
type TryRequest = <Result>(request: () => Promise<Result>) => Promise<Result | null>;

/** Exchanges the code of a provider for the profile of the person. The tokens of the provider are not stored. */
@Injectable()
export class ProviderProfilesService {
  constructor(
    private readonly providers: IdentityProvidersRepository,
    private readonly connections: ProviderConnectionsService,
    private readonly requests: ProviderRequestsService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Verifies an authorization response, and returns the profile of the person. Only the subject is required
   * (ADR 0097).
   * @param callbackUrl the URL to which the provider has led back, without parameters
   * @throws GatehouseError `provider_unavailable`, `sign_in_failed`
   */
  load(
    provider: ConnectedProvider,
    flow: OAuthFlow,
    callbackUrl: string,
    parameters: CallbackParameters,
  ): Promise<LoadedProfile> {
    return this.requests.run(provider, async () => {
      let isUnavailable = false;
      const tryRequest: TryRequest = (request) =>
        request().catch((error: unknown) => {
          isUnavailable ||= this.reportOptional(provider, error) === 'provider_unavailable';
          return null;
        });
      const connection = await this.connections.connect(provider);
      const claims = await this.exchange(connection, provider, flow, { callbackUrl, parameters, tryRequest });
      const isApple = provider.type === 'apple';
      const named = isApple ? mergeUserInfo(claims, readAppleName(parameters)) : claims;
      const profile = toProfile(provider, named);
      return { profile, isEmailUnavailable: isUnavailable && profile.email === null };
    });
  }

  private async exchange(
    connection: Connection,
    provider: ConnectedProvider,
    flow: OAuthFlow,
    response: { callbackUrl: string; parameters: CallbackParameters; tryRequest: TryRequest },
  ): Promise<ProviderClaims> {
    const { client, configuration, preset } = connection;
    const { callbackUrl, parameters, tryRequest } = response;
    const url = parseValidUrl(callbackUrl);
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    const tokens = await client.authorizationCodeGrant(configuration, url, {
      pkceCodeVerifier: flow.codeVerifier,
      expectedState: parameters['state']!,
      ...(preset.oauth ? {} : { expectedNonce: flow.nonce, idTokenExpected: true }),
    });
    const accessToken = tokens.access_token;
    if (preset.oauth) {
      const fetchResource = (resource: string) => fetchJson(connection, accessToken, resource);
      const fetchOptional = (resource: string) => tryRequest(() => fetchResource(resource));
      return preset.oauth.loadClaims(provider.issuer, { fetchResource, fetchOptional });
    }
    const claims = tokens.claims()!;
    await this.recordAuthTime(provider, claims);
    assertTimes(claims, flow);
    const canAsk = configuration.serverMetadata().userinfo_endpoint && accessToken !== NO_ACCESS_TOKEN;
    // A new proof of identity depends on the subject alone.
    if (!canAsk || flow.purpose === 'reauthenticate' || isProfileComplete(claims)) return claims;
    const userInfo = await tryRequest(() => client.fetchUserInfo(configuration, accessToken, claims.sub));
    return userInfo ? mergeUserInfo(claims, userInfo) : claims;
  }

  /** Records whether id tokens of the provider state when a person has signed in. */
  private async recordAuthTime(provider: ConnectedProvider, claims: ProviderClaims): Promise<void> {
    const statesAuthTime = readStatesAuthTime(provider, claims);
    if (statesAuthTime !== null && statesAuthTime !== provider.statesAuthTime)
      await this.providers.setStatesAuthTime(provider.id, statesAuthTime);
  }

  /** Logs why an optional request has failed. @returns the error that it would be if the request were required */
  private reportOptional({ id: providerId, projectId }: ConnectedProvider, thrown: unknown) {
    const { error, reason } = describeProviderFailure(thrown);
    this.logger.warn({ projectId, providerId, reason }, 'optional request to identity provider failed');
    return error;
  }
}

/**
 * Asserts that the times of an id token are possible, and that the person has signed in as recently as the flow requires.
 * @throws Error
 */
function assertTimes({ exp, auth_time: authTime }: ProviderClaims, { maxAge, createdAt }: OAuthFlow): void {
  if (!isNumericDate(exp)) throw new Error('the expiry of the id token is no time');
  if (maxAge === null) return;
  const [begun, current] = [createdAt.getTime() / 1_000, now().getTime() / 1_000];
  if (!hasSignedInSince(authTime, begun - maxAge, current))
    throw new Error('the id token does not state a sign-in that is as recent as required');
}

/** Requests a resource of the API of a provider. @throws Error if the response is not JSON, or not successful */
async function fetchJson(
  { client, configuration }: Connection,
  token: string,
  resource: string,
): Promise<unknown> {
  const headers = new Headers({ accept: 'application/json', 'user-agent': userAgent });
  const response = await client.fetchProtectedResource(
    configuration,
    token,
    parseValidUrl(resource),
    'GET',
    undefined,
    headers,
  );
  if (!response.ok) throw new Error(`the provider responded with status ${response.status}`);
  return response.json();
}

/**
 * Returns the profile in the claims of a provider.
 * @throws Error without a subject, or for a tenant of Microsoft that may not sign in
 */
export function toProfile(provider: ConnectedProvider, claims: ProviderClaims): ProviderProfile {
  const { tenants } = provider;
  if (tenants.length > 0 && !tenants.includes(String(claims['tid'])))
    throw new Error('the tenant is not allowed');
  const profile = readProfile(claims, isEmailTrusted(provider, claims));
  if (!profile) throw new Error('the response of the provider has no subject');
  return profile;
}

/**
 * Returns the name that Apple sends beside the code at the first sign-in. It is not signed: the client
 * can set it, like the name of a registration.
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
