import { Injectable } from '@nestjs/common';
import {
  hasSignedInSince,
  isEmailTrusted,
  isNumericDate,
  readProfile,
  type ProviderClaims,
  type ProviderProfile,
} from '@gatehouse/domain';
import type { ConnectedProvider, OAuthFlow } from '@gatehouse/persistence';
import { now, userAgent } from '@gatehouse/platform';
import { ProviderConnectionsService, type Connection } from './provider-connections.service.js';
import { ProviderRequestsService } from './provider-requests.service.js';

/** The parameters with which a browser returns from a provider. */
export type CallbackParameters = Readonly<Record<string, string>>;

/** Exchanges the code of a provider for the profile of the person. The tokens of the provider are not stored. */
@Injectable()
export class ProviderProfilesService {
  constructor(
    private readonly connections: ProviderConnectionsService,
    private readonly requests: ProviderRequestsService,
  ) {}

  /**
   * Verifies an authorization response, and returns the profile of the person.
   * @param callbackUrl the URL to which the provider has led back, without parameters
   * @throws GatehouseError `provider_unavailable`, `sign_in_failed`
   */
  load(
    provider: ConnectedProvider,
    flow: OAuthFlow,
    callbackUrl: string,
    parameters: CallbackParameters,
  ): Promise<ProviderProfile> {
    return this.requests.run(provider, async () => {
      const connection = await this.connections.connect(provider);
      const claims = await this.exchange(connection, provider, flow, callbackUrl, parameters);
      const name = provider.type === 'apple' ? readAppleName(parameters) : {};
      return toProfile(provider, { ...claims, ...name });
    });
  }

  private async exchange(
    connection: Connection,
    provider: ConnectedProvider,
    flow: OAuthFlow,
    callbackUrl: string,
    parameters: CallbackParameters,
  ): Promise<ProviderClaims> {
    const { client, configuration, preset } = connection;
    const url = new URL(callbackUrl);
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    const tokens = await client.authorizationCodeGrant(configuration, url, {
      pkceCodeVerifier: flow.codeVerifier,
      expectedState: parameters['state']!,
      ...(preset.oauth ? {} : { expectedNonce: flow.nonce, idTokenExpected: true }),
    });
    const accessToken = tokens.access_token;
    if (preset.oauth)
      return preset.oauth.loadClaims(provider.issuer, (resource) =>
        fetchJson(connection, accessToken, resource),
      );
    const claims = tokens.claims()!;
    assertTimes(claims, flow);
    const hasEmail = typeof claims['email'] === 'string';
    if (hasEmail || !configuration.serverMetadata().userinfo_endpoint) return claims;
    // The verification of an email must have the same source as the email.
    const { email_verified: _, ...others } = claims;
    return { ...(await client.fetchUserInfo(configuration, accessToken, claims.sub)), ...others };
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
    new URL(resource),
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
    const { name } = JSON.parse(user) as { name?: { firstName?: unknown; lastName?: unknown } };
    return { given_name: name?.firstName, family_name: name?.lastName };
  } catch {
    return {};
  }
}
