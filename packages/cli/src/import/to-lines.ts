import type { SourceRecord } from './source.js';

/** Number of unsent users for which an empty line is sent. They are read in a few seconds. */
const UNSENT_PER_LINE = 20_000;

/**
 * Returns the record for each line in an import; null for an empty line. Without empty lines, a file with many users
 * who are not sent would exceed the time that Gatehouse waits for a line. They depend on the records alone, because an
 * import that continues must send the same lines.
 * @param report called for each record of which a part, or all, is left out
 */
export async function* toLines(
  records: AsyncIterable<SourceRecord>,
  report: (record: SourceRecord) => Promise<void> = () => Promise.resolve(),
): AsyncGenerator<SourceRecord | null> {
  let unsent = 0;
  for await (const record of records) {
    if (record.leftOut.length > 0 || !record.customer) await report(record);
    if (record.customer) yield record;
    else if ((unsent += 1) % UNSENT_PER_LINE === 0) yield null;
  }
}
