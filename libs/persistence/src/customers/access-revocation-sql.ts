/**
 * SQL for the time at which access is revoked: the next millisecond, so that everything that was issued before is
 * older. It is read after the customer was locked, unlike `now()`, which returns the transaction's start time.
 */
export const REVOKED_AT = `date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond'`;

/** SQL for the time at which a code, flow or challenge is issued that belongs to no customer yet. */
export const ISSUED_AT = `date_trunc('milliseconds', clock_timestamp())`;

/**
 * Returns SQL for the time at which a customer's code, flow or challenge is issued. The transaction has locked the
 * customer, and the time is after every revocation that it sees.
 * @param customerId SQL from code
 */
export const issuedAtFor = (customerId: string): string => `(
  SELECT greatest(${ISSUED_AT}, c.access_revoked_at + interval '1 millisecond') FROM customers c WHERE c.id = ${customerId})`;
