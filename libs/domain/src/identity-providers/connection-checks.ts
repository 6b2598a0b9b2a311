import { targetUrlProblem, type TargetPolicy } from '../targets/target-policy.js';

/** A provider's connection checks, in the order in which they run. */
export const connectionCheckNames = [
  'issuer_url',
  'private_key',
  'discovery',
  'issuer',
  'endpoints',
  'response_type',
  'pkce',
  'client_authentication',
  'keys',
  'client_credentials',
] as const;
export type ConnectionCheckName = (typeof connectionCheckNames)[number];

export interface ConnectionCheck {
  name: ConnectionCheckName;
  ok: boolean;
  /** The finding, and for a failed check the remedy. Contains neither a secret nor a string from the provider. */
  detail: string;
}

export const passed = (name: ConnectionCheckName, detail: string): ConnectionCheck => ({
  name,
  ok: true,
  detail,
});

export const failed = (name: ConnectionCheckName, detail: string): ConnectionCheck => ({
  name,
  ok: false,
  detail,
});

/** The discovery document members on which sign-ins depend (OpenID Connect Discovery, section 3). */
export interface DiscoveredMetadata {
  authorization_endpoint?: unknown;
  token_endpoint?: unknown;
  jwks_uri?: unknown;
  response_types_supported?: unknown;
  code_challenge_methods_supported?: unknown;
  token_endpoint_auth_methods_supported?: unknown;
}

/**
 * Checks a provider's discovery document.
 * @param isPublic true if the client has no secret
 */
export const checkMetadata = (
  metadata: DiscoveredMetadata,
  isPublic: boolean,
  policy: TargetPolicy,
): ConnectionCheck[] => [
  checkEndpoints(metadata, policy),
  checkResponseType(metadata.response_types_supported),
  checkPkce(metadata.code_challenge_methods_supported),
  checkClientAuthentication(metadata.token_endpoint_auth_methods_supported, isPublic),
];

function checkEndpoints(metadata: DiscoveredMetadata, policy: TargetPolicy): ConnectionCheck {
  const names = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;
  const problems = names.flatMap((name) => {
    const url = metadata[name];
    const problem = typeof url === 'string' ? targetUrlProblem(url, policy) : 'is missing';
    return problem ? [`${name} ${problem}`] : [];
  });
  return problems.length > 0
    ? failed(
        'endpoints',
        `In the discovery document, ${problems.join(', and ')}. Check the issuer, or the configuration of the provider.`,
      )
    : passed('endpoints', 'The endpoints are present and allowed.');
}

function checkResponseType(supported: unknown): ConnectionCheck {
  const isMissing = Array.isArray(supported) && !supported.includes('code');
  return isMissing
    ? failed(
        'response_type',
        'The provider does not support the response type code. Turn on the authorization code flow at the provider.',
      )
    : passed('response_type', 'The authorization code flow is supported.');
}

function checkPkce(supported: unknown): ConnectionCheck {
  if (!Array.isArray(supported))
    return passed(
      'pkce',
      'The provider does not state whether it supports PKCE. Gatehouse sends a challenge anyway.',
    );
  return supported.includes('S256')
    ? passed('pkce', 'PKCE with S256 is supported.')
    : failed(
        'pkce',
        'The provider does not list the PKCE method S256. Turn on PKCE with S256 at the provider.',
      );
}

function checkClientAuthentication(supported: unknown, isPublic: boolean): ConnectionCheck {
  const methods: unknown[] = Array.isArray(supported) ? supported : ['client_secret_basic'];
  const usable = isPublic ? ['none'] : ['client_secret_post', 'client_secret_basic'];
  if (usable.some((method) => methods.includes(method)))
    return passed('client_authentication', 'The client authentication method is supported.');
  return failed(
    'client_authentication',
    isPublic
      ? 'The provider does not support clients without a secret. Set clientSecret.'
      : 'The provider supports neither client_secret_post nor client_secret_basic. Turn on one of them at the provider.',
  );
}

/** Checks the keys that a provider publishes for id tokens (RFC 7517, section 5). */
export function checkKeys(jwks: unknown): ConnectionCheck {
  const keys = (jwks as { keys?: unknown } | null)?.keys;
  const count = Array.isArray(keys) ? keys.filter(isSigningKey).length : 0;
  return count > 0
    ? passed('keys', `The provider publishes ${count} ${count === 1 ? 'key' : 'keys'} for id tokens.`)
    : failed(
        'keys',
        'jwks_uri contains no key that can sign id tokens. Configure a signing key of type RSA or EC at the provider.',
      );
}

function isSigningKey(key: unknown): boolean {
  const { kty, use, n, x } = (key ?? {}) as Record<string, unknown>;
  if (use !== undefined && use !== 'sig') return false;
  return kty === 'RSA' ? typeof n === 'string' : (kty === 'EC' || kty === 'OKP') && typeof x === 'string';
}

/** Error codes with which token endpoints reject a client. GitHub uses the second one. */
const rejections = ['invalid_client', 'incorrect_client_credentials', 'unauthorized_client'];

/** Error codes with which token endpoints reject an invalid code after they have accepted the client. */
const invalidCodes = ['invalid_grant', 'bad_verification_code'];

/**
 * Checks the client id and the client secret. Gatehouse has sent an invalid code, and the token endpoint rejects a wrong
 * client before it rejects the code.
 * @param code the error code in the response; null if there is none
 */
export function checkClientCredentials(code: string | null): ConnectionCheck {
  const name = 'client_credentials';
  if (code === null)
    return failed(
      name,
      'The token endpoint does not respond as OAuth 2.0 requires. Check the issuer of the provider.',
    );
  if (code === 'redirect_uri_mismatch')
    return failed(name, 'The provider rejects the callback URL. Register callbackUrl at the provider.');
  if (rejections.includes(code))
    return failed(
      name,
      `The provider rejects the client (${code}). Check clientId and its secret, which may have expired.`,
    );
  return invalidCodes.includes(code)
    ? passed(name, 'The provider accepts the client. Only a sign-in can verify the callback URL.')
    : passed(
        name,
        `The provider does not reject the client (${code}). Only a sign-in can verify the client.`,
      );
}
