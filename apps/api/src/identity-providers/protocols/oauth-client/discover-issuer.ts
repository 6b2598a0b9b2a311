import type * as openIdClient from 'openid-client';
import type { ClientAuth, Configuration, CustomFetch } from 'openid-client';
import { CLOCK_LEEWAY_SECONDS, parseValidUrl } from '@gatehouse/domain';

export type OpenIdClient = typeof openIdClient;

/** Time limit for a request to a provider, in ms (requirement FE-04). */
export const PROVIDER_TIMEOUT_MS = 5_000;

/** Maximum length of a provider's response, in bytes (requirement FE-04). */
export const MAX_PROVIDER_RESPONSE_BYTES = 1024 * 1024;

/** How long a provider's discovery document is cached, in ms. */
export const PROVIDER_METADATA_TTL_MS = 10 * 60 * 1_000;

export interface OpenIdIssuer {
  issuer: string;
  clientId: string;
  authentication: ClientAuth;
  fetch: CustomFetch;
}

/** Discovers an OpenID Provider's endpoints. */
export function discoverIssuer(
  client: OpenIdClient,
  { issuer, clientId, authentication, fetch }: OpenIdIssuer,
): Promise<Configuration> {
  const insecure = isInsecure(issuer) ? [client.allowInsecureRequests] : [];
  const metadata = { [client.clockTolerance]: CLOCK_LEEWAY_SECONDS };
  return client.discovery(parseValidUrl(issuer), clientId, metadata, authentication, {
    [client.customFetch]: fetch,
    timeout: PROVIDER_TIMEOUT_MS / 1_000,
    // Without these checks, the signature of an id token from the token endpoint would not be verified.
    execute: [...insecure, client.enableNonRepudiationChecks],
  });
}

/**
 * Returns the client authentication method for the token endpoint: with a secret, or as a public client if the
 * secret is null.
 */
export function authenticateWithSecret(client: OpenIdClient, secret: string | null): ClientAuth {
  if (secret === null) return client.None();
  const [post, basic] = [client.ClientSecretPost(secret), client.ClientSecretBasic(secret)];
  return (server, ...request) => {
    const supported: unknown = server.token_endpoint_auth_methods_supported;
    const hasPost = Array.isArray(supported) && supported.includes('client_secret_post');
    return (hasPost ? post : basic)(server, ...request);
  };
}

/** Returns true if a URL uses plain http, which is allowed only outside production. */
export const isInsecure = (url: string): boolean => url.startsWith('http:');
