import type { SourceRecord } from './source.js';

/** Names of fields that contain whether a user is banned, in the files of all sources. */
const BAN_FIELDS = new Set([
  'banned',
  'banned_until',
  'blocked',
  'disabled',
  'disabledAt',
  'enabled',
  'Enabled',
  'isSuspended',
  'spam',
  'state',
  'user_status',
]);

/**
 * Returns the record of a user who is not banned with a `disabledAt` of null, so that an update enables the customer again. A ban
 * that is left out is unknown, and so is each ban of a system that stores none: both change nothing.
 */
export function withoutBan(record: SourceRecord): SourceRecord {
  const { customer, leftOut } = record;
  if (!customer || customer.disabledAt !== undefined) return record;
  if (record.isBanUnknown || leftOut.some(({ field }) => BAN_FIELDS.has(field))) return record;
  return { ...record, customer: { ...customer, disabledAt: null } };
}
