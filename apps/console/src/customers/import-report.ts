import { explainLineError, isUnchanged } from '../../../../packages/cli/src/console-shared/line-remedies';
import type { Schemas } from '../http/client';
import { formatCsv } from './format-csv';

/** A line that an import reports. `warnings` lists the values that were left out of the customer. */
export type Failure = Schemas['ImportFailureResponse'] & {
  warnings?: Schemas['ImportFailureResponse']['errors'];
};

/** The results in the report, with the same names as on the command line (`gatehouse customers import --report`). */
export type ReportResult = 'left_out' | 'not_sent' | 'skipped' | 'failed';

/** The reason why a line, or a value in it, was not imported, and the remedy. */
export interface ReportEntry {
  result: ReportResult;
  /** The position in the file. */
  position: number;
  email: string | null;
  /** The created customer or, for a skipped line, the customer that already has the email address. */
  customerId: string | null;
  field: string;
  reason: string;
  remedy: string;
}

/** The number of entries with the same reason. */
export interface ReportCount extends Pick<ReportEntry, 'result' | 'field' | 'reason' | 'remedy'> {
  count: number;
}

/** Maximum number of entries that are listed. All are counted. */
const MAX_ENTRIES = 20_000;

/** Collects the lines and values that are left out before a file is sent. */
export class LocalReport {
  readonly entries: ReportEntry[] = [];
  /** Number of lines that are not sent. */
  notSent = 0;
  private readonly counted = new Map<string, ReportCount>();

  add(entry: ReportEntry): void {
    countEntry(this.counted, entry);
    if (entry.result === 'not_sent') this.notSent += 1;
    if (this.entries.length < MAX_ENTRIES) this.entries.push(entry);
  }

  get counts(): ReportCount[] {
    return [...this.counted.values()];
  }
}

function countEntry(counts: Map<string, ReportCount>, entry: ReportEntry): void {
  const { result, field, reason, remedy } = entry;
  const key = JSON.stringify([result, field, reason]);
  const known = counts.get(key);
  if (known) known.count += 1;
  else counts.set(key, { result, field, reason, remedy, count: 1 });
}

/** Counts the entries for each reason, the most frequent first. @param others counts of other entries to include */
export function countReasons(
  entries: readonly ReportEntry[],
  others: readonly ReportCount[] = [],
): ReportCount[] {
  const counts = new Map<string, ReportCount>();
  for (const entry of entries) countEntry(counts, entry);
  return [...counts.values(), ...others].sort((one, other) => other.count - one.count);
}

const SKIPPED = {
  field: 'email',
  code: 'email_already_registered',
  message: 'A customer has this email address',
};

/** Returns a line's entries. @param find returns a line's position in the file, and its email address */
export function toEntries(
  { line, status, id, errors, warnings = [] }: Failure,
  find: (line: number) => { position: number; email: string | null },
): ReportEntry[] {
  const isSkipped = status === 'skipped';
  const reasons =
    isSkipped && errors.length === 0 ? [SKIPPED] : errors.filter((error) => !isUnchanged(error));
  const toEntry =
    (result: ReportResult) =>
    (error: Failure['errors'][number]): ReportEntry => ({
      result,
      ...find(line),
      customerId: id,
      field: error.field,
      ...explainLineError(error),
    });
  return [...reasons.map(toEntry(isSkipped ? 'skipped' : 'failed')), ...warnings.map(toEntry('left_out'))];
}

/** Returns the report as CSV. @param lineName the word for a position in the file */
export const formatReport = (lineName: string, entries: readonly ReportEntry[]): string =>
  formatCsv([
    ['result', lineName.toLowerCase(), 'email', 'customerId', 'field', 'reason', 'remedy'],
    ...entries.map(({ result, position, email, customerId, field, reason, remedy }) => [
      ...[result, position, email, customerId, field, reason, remedy],
    ]),
  ]);
