import type { SourceRecord } from './source.js';

/** Number of unsent users after which an empty line is sent. Reading them takes a few seconds. */
const UNSENT_PER_LINE = 20_000;

/**
 * Yields the record for each import line; null for an empty line. Without empty lines, reading many consecutive users
 * that are not sent would take longer than Gatehouse waits for a line. The empty lines depend only on the records,
 * because a continued import must send the same lines.
 * @param report called for each record that is left out or has values that are left out
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
