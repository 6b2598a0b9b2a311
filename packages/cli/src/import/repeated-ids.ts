import { createHash } from 'node:crypto';
import { reasons } from './reasons.js';
import type { SourceRecord } from './source.js';

/** Returns the first eight bytes of the SHA-256 of a text: a set of them takes about 50 bytes of memory per user. */
const shortHash = (text: string): bigint => createHash('sha256').update(text).digest().readBigUInt64BE();

/**
 * Yields the records, but a user whose id an earlier one has is not sent. An update would otherwise take the second one for a
 * newer version of the first.
 */
export async function* rejectRepeatedIds(records: AsyncIterable<SourceRecord>): AsyncGenerator<SourceRecord> {
  const seen = new Set<bigint>();
  for await (const record of records) {
    const id = record.customer?.externalId ?? record.customer?.id;
    if (typeof id !== 'string') {
      yield record;
      continue;
    }
    const hash = shortHash(id);
    if (seen.has(hash))
      yield { ...record, customer: null, leftOut: [{ field: 'id', ...reasons.repeatedId }] };
    else yield record;
    seen.add(hash);
  }
}
