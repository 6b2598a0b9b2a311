import type { SourceRecord } from './source.js';

/**
 * Sets `disabledAt: null` for a user that is not banned, so that an update enables the customer again. Returns the
 * record unchanged if it is unknown whether the user is banned.
 */
export function withoutBan(record: SourceRecord): SourceRecord {
  const { customer, isBanUnknown = false } = record;
  if (!customer || customer.disabledAt !== undefined || isBanUnknown) return record;
  return { ...record, customer: { ...customer, disabledAt: null } };
}
