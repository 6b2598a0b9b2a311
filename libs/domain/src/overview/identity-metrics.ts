/** The event types that the identity metrics count. A partial index covers exactly these types. */
export const identityEventTypes = [
  'customer.created',
  'customer.locked',
  'login.failed',
  'login.succeeded',
] as const;

/** The sign-in methods, by first factor. `other` stands for events without methods. */
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
 * The identity counters. `sign_in`, `provider` and `failure` are labeled with the method, the provider's slug and the
 * reason. `second_factor` counts sign-ins with a second factor. `customers` and `customers_with_factor` are gauges: the
 * latest numbers of active customers in the bucket.
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

/** Number of days after the last sign-in during which a customer counts as active. */
export const ACTIVE_CUSTOMER_DAYS = 30;

/**
 * The lengths in seconds of the buckets that contain the number of active customers, which is determined once an hour.
 */
export const customerCountSpans = [7_200, 86_400] as const;
