import { reasons } from './reasons.js';
import { MAX_EXTERNAL_ID_LENGTH } from './source-fields.js';
import type { SourceRecord } from './source.js';

/**
 * Returns the record with a prefix before the `externalId`, so that the ids of users from several systems cannot
 * collide. An `externalId` that would become too long is left out.
 */
export function withIdPrefix(record: SourceRecord, prefix: string): SourceRecord {
  const { externalId, ...customer } = record.customer ?? {};
  // In Gatehouse's own format, the server reports an `externalId` of another type.
  if (!record.customer || typeof externalId !== 'string' || externalId === '') return record;
  const prefixed = prefix + externalId;
  if (prefixed.length <= MAX_EXTERNAL_ID_LENGTH)
    return { ...record, customer: { ...record.customer, externalId: prefixed } };
  const leftOut = [...record.leftOut, { field: 'externalId', ...reasons.longId }];
  return { ...record, customer: { ...customer, email: record.customer.email }, leftOut };
}
