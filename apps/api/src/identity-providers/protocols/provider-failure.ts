import { GatehouseError } from '@gatehouse/domain';
import { errorMessage, ServerUnavailableError } from '@gatehouse/platform';

/** `error` values with which providers report that the sign-in was declined. */
const denials = ['access_denied', 'user_cancelled_authorize', 'user_cancelled_login', 'consent_required'];

/** Returns true if the `error` parameter of an authorization response means that the sign-in was declined. */
export const isDenial = (error: string | undefined): boolean =>
  error !== undefined && denials.includes(error);

/** `error` values with which providers report a temporary outage (RFC 6749, section 4.1.2.1). */
const outages = ['server_error', 'temporarily_unavailable'];

/** The reason why a sign-in at a provider has failed. */
export interface ProviderFailure {
  error: 'provider_unavailable' | 'sign_in_failed';
  /** For the log. Contains no token, and no user input. */
  reason: string;
}

/** Yields an error and the chain of its causes. */
function* causes(error: unknown): Generator<object> {
  for (let cause = error; typeof cause === 'object' && cause !== null; cause = (cause as Error).cause)
    yield cause;
}

/** Returns the OAuth 2.0 error code that a provider has returned, or null. GitHub returns it with status 200. */
export function oauthCode(error: unknown): string | null {
  const codes = [...causes(error)].map((each) => {
    const { error: own, body } = each as { error?: unknown; body?: { error?: unknown } | null };
    return own ?? body?.error;
  });
  const code = codes.find((each) => typeof each === 'string' && /^[a-z_]{1,64}$/.test(each));
  return (code as string | undefined) ?? null;
}

/** Describes an error in a provider request, or in the verification of its response. */
export function describeProviderFailure(error: unknown): ProviderFailure {
  const code = oauthCode(error);
  const messages = [...causes(error)].map(errorMessage);
  const reason = [...new Set(code ? [code, messages[0]!] : messages)].join(': ');
  const isUnavailable =
    (code && outages.includes(code)) ||
    [...causes(error)].some((each) => each instanceof ServerUnavailableError);
  return { error: isUnavailable ? 'provider_unavailable' : 'sign_in_failed', reason };
}

/** How long a client should wait before it retries an unavailable provider, in seconds. */
const RETRY_AFTER_SECONDS = 5;

/** Returns the API error for a failure. */
export const providerError = (error: ProviderFailure['error'], cause?: unknown): GatehouseError =>
  error === 'provider_unavailable'
    ? new GatehouseError(error, { headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) }, cause })
    : new GatehouseError('sign_in_failed', { cause });
