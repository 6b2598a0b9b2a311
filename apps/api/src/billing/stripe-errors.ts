import { GatehouseError, invalidField } from '@gatehouse/domain';
import { errorCode, errorMessage } from '@gatehouse/platform';

/** What errors of the Stripe client say; members that an error does not have are undefined. */
interface StripeErrorInfo {
  type?: string;
  statusCode?: number;
  code?: string;
  param?: string;
  requestId?: string;
  /** What was wrong with the connection. */
  detail?: unknown;
}

const toErrorInfo = (error: unknown): StripeErrorInfo =>
  typeof error === 'object' && error !== null ? error : {};

/** What Stripe refuses for reasons that only whoever runs the house can remove. */
const configurationErrors: Record<number, string> = {
  400: 'The Stripe account of STRIPE_SECRET_KEY has no customer portal. Save the customer portal settings in the Stripe dashboard of this account.',
  401: 'Stripe rejected the key in STRIPE_SECRET_KEY. Set an active key.',
  403: 'The key in STRIPE_SECRET_KEY lacks write permission for customers and customer portal sessions. Change its permissions in the Stripe dashboard.',
  404: 'The server at STRIPE_API_BASE does not provide the Stripe API. Correct or remove the setting.',
};

/** Whether Stripe no longer knows the customer. */
export function isCustomerMissing(error: unknown): boolean {
  const { code, param } = toErrorInfo(error);
  return code === 'resource_missing' && param === 'customer';
}

/**
 * Whether an idempotency key would only bring the same answer again: Stripe keeps the first one for 24 hours, also an
 * error, but not while a request is running (409) or was held back (429).
 */
export function isIdempotencyKeyUsed(error: unknown): boolean {
  const { statusCode } = toErrorInfo(error);
  return statusCode !== undefined && statusCode !== 409 && statusCode !== 429;
}

/** Our error for one of Stripe's: what waiting cures is 503, what a setting cures 501. */
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

/** For the log: what happened, without the key and without any URL. */
export function stripeLogFields(error: unknown): Record<string, unknown> {
  const { type, statusCode, code, param, requestId, detail } = toErrorInfo(error);
  return {
    // Stripe repeats the end of a key that it refuses, and a URL that it does not like.
    reason: statusCode === 401 || param === 'return_url' ? undefined : errorMessage(error),
    type,
    status: statusCode,
    code: code ?? (errorCode(detail) || undefined),
    param,
    stripeRequestId: requestId,
  };
}
