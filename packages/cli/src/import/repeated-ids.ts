import { KeyIndex } from '../key-index.js';
import { reasons } from './reasons.js';
import type { SourceRecord } from './source.js';

/**
 * Rejects records with the id of an earlier record. Otherwise, an update would treat such a record as a newer version
 * of the same user.
 */
export async function* rejectRepeatedIds(records: AsyncIterable<SourceRecord>): AsyncGenerator<SourceRecord> {
  const index = new KeyIndex();
  let count = 0;
  for await (const record of records) {
    const id = record.customer?.externalId ?? record.customer?.id;
    if (typeof id !== 'string') yield record;
    else if (index.find(id) !== null)
      yield { ...record, customer: null, leftOut: [{ field: 'id', ...reasons.repeatedId }] };
    else {
      index.add(id, count);
      count += 1;
      yield record;
    }
  }
}
