/**
 * SQL for the time at which access is revoked: the next millisecond, so that everything issued before is older. It
 * reads the clock after the customer was locked, because `now()` returns the transaction's start time.
 */
export const REVOKED_AT = `date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond'`;

/** SQL for the issue time of a code, flow or challenge that does not belong to a customer yet. */
export const ISSUED_AT = `date_trunc('milliseconds', clock_timestamp())`;

/**
 * Returns SQL for the issue time of a customer's code, flow or challenge. The transaction has locked the customer.
 * The time is later than all previous revocations.
 * @param customerId SQL from code, never from input
 */
export const issuedAtFor = (customerId: string): string => `(
  SELECT greatest(${ISSUED_AT}, c.access_revoked_at + interval '1 millisecond') FROM customers c WHERE c.id = ${customerId})`;
