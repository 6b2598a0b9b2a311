import type { SourceRecord } from './source.js';

/**
 * Returns the record of a user who is not banned with a `disabledAt` of null, so that an update enables the customer again. If the
 * source does not know whether the user is banned, the update changes nothing.
 */
export function withoutBan(record: SourceRecord): SourceRecord {
  const { customer, isBanUnknown = false } = record;
  if (!customer || customer.disabledAt !== undefined || isBanUnknown) return record;
  return { ...record, customer: { ...customer, disabledAt: null } };
}
