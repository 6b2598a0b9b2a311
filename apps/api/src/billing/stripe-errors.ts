import { GatehouseError, invalidField } from '@gatehouse/domain';
import { errorCode, errorMessage } from '@gatehouse/platform';

/** The fields of a Stripe client error. Missing fields are undefined. */
interface StripeErrorInfo {
  type?: string;
  statusCode?: number;
  code?: string;
  param?: string;
  requestId?: string;
  /** The connection error. */
  detail?: unknown;
}

const toErrorInfo = (error: unknown): StripeErrorInfo =>
  typeof error === 'object' && error !== null ? error : {};

/** Problems that only the installation's administrator can fix, by HTTP status in Stripe's response. */
const configurationErrors: Record<number, string> = {
  400: 'The Stripe account that STRIPE_SECRET_KEY belongs to has no customer portal. Save the customer portal settings in the Stripe dashboard of this account.',
  401: 'Stripe rejected the key in STRIPE_SECRET_KEY. Set an active key.',
  403: 'The key in STRIPE_SECRET_KEY lacks write permission for customers and customer portal sessions. Change its permissions in the Stripe dashboard.',
  404: 'The server at STRIPE_API_BASE does not provide the Stripe API. Correct or remove the setting.',
};

/** Returns true if the customer no longer exists in Stripe. */
export function isCustomerMissing(error: unknown): boolean {
  const { code, param } = toErrorInfo(error);
  return code === 'resource_missing' && param === 'customer';
}

/**
 * Returns true if a retry with the same idempotency key would return the same response again. Stripe stores the first
 * response for 24 hours, even an error, except a 409 (another request is in progress) or a 429 (rate limit).
 */
export function isIdempotencyKeyUsed(error: unknown): boolean {
  const { statusCode } = toErrorInfo(error);
  return statusCode !== undefined && statusCode !== 409 && statusCode !== 429;
}

/**
 * Converts a Stripe error: `validation_failed` for a rejected return URL, 501 if a setting must be changed, and
 * otherwise 503, because a retry may help.
 */
export function billingError(cause: unknown): GatehouseError {
  const { statusCode = 0, type, param } = toErrorInfo(cause);
  if (param === 'return_url') {
    return invalidField('returnUrl', 'not_allowed', 'returnUrl was rejected by Stripe');
  }
  const detail =
    type === 'StripeInvalidRequestError' || statusCode !== 400 ? configurationErrors[statusCode] : undefined;
  if (detail) return new GatehouseError('billing_not_configured', { detail, cause });
  return new GatehouseError('billing_unavailable', { cause, headers: { 'Retry-After': '5' } });
}

/** Returns a Stripe error's log fields, without the key and without any URL. */
export function stripeLogFields(error: unknown): Record<string, unknown> {
  const { type, statusCode, code, param, requestId, detail } = toErrorInfo(error);
  return {
    // Stripe's message repeats the end of a rejected key, or a rejected URL.
    reason: statusCode === 401 || param === 'return_url' ? undefined : errorMessage(error),
    type,
    status: statusCode,
    code: code ?? (errorCode(detail) || undefined),
    param,
    stripeRequestId: requestId,
  };
}
