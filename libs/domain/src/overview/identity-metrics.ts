/** The event types that the identity metrics count. An index contains exactly these. */
export const identityEventTypes = [
  'customer.created',
  'customer.locked',
  'login.failed',
  'login.succeeded',
] as const;

/**
 * The methods with which a customer signed in, by the first factor. `other`: an event that does not contain its
 * methods.
 */
export const signInMethods = [
  'password',
  'email_code',
  'passkey',
  'provider',
  'sign_in_token',
  'other',
] as const;
export type SignInMethod = (typeof signInMethods)[number];

/**
 * The identity counters. `sign_in`, `provider` and `failure` have a label: the method, the provider's slug and the
 * reason. `second_factor` counts the sign-ins with a second factor. `customers` and `customers_with_factor` are not
 * counters, but the bucket's latest counts of active customers.
 */
export const identityMetrics = [
  'sign_up',
  'sign_in',
  'second_factor',
  'provider',
  'failure',
  'lockout',
  'customers',
  'customers_with_factor',
] as const;
export type IdentityMetric = (typeof identityMetrics)[number];

/** Days since the last sign-in for which a customer counts as active. */
export const ACTIVE_CUSTOMER_DAYS = 30;

/** The lengths of the buckets that contain the active customer count, which is counted once an hour. */
export const customerCountSpans = [7_200, 86_400] as const;
