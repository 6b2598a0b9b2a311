import type { SourceRecord } from './source.js';

/**
 * Returns the record for a user who is not banned with `disabledAt: null`, so that an update enables the customer
 * again. If the source does not know the user's ban state, the update changes nothing.
 */
export function withoutBan(record: SourceRecord): SourceRecord {
  const { customer, isBanUnknown = false } = record;
  if (!customer || customer.disabledAt !== undefined || isBanUnknown) return record;
  return { ...record, customer: { ...customer, disabledAt: null } };
}
