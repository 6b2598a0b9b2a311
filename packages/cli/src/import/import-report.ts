import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { usageError } from '../cli-error.js';
import { hasUnusedApp } from './second-factors.js';
import type { LeftOut, SourceRecord } from './source.js';
import { reasons, type Reason } from './reasons.js';

/**
 * The result for a user. In an import: a value was left out, the user was not sent, the customer was skipped, or the
 * server rejected the line. In an export: a value has another form. In a comparison: only one side has the user, or a
 * value differs.
 */
export type ReportResult =
  | 'left_out'
  | 'not_sent'
  | 'skipped'
  | 'failed'
  | 'changed'
  | 'only_in_files'
  | 'only_in_gatehouse'
  | 'different';

export interface ReportEntry extends Reason {
  result: ReportResult;
  position: string;
  sourceId: string | null;
  email: string | null;
  field: string;
}

/** The number of entries with the same reason. */
export interface ReportCount extends Reason {
  result: ReportResult;
  field: string;
  count: number;
}

/**
 * Maximum number of different entries that are counted. Without a limit, unknown fields could add any number of
 * entries.
 */
const MAX_REASONS = 200;

const COLUMNS = ['result', 'position', 'sourceId', 'email', 'field', 'reason', 'remedy'] as const;

/** Counts the entries of a report by reason, and writes each entry to a file. */
export class ImportReport {
  /** Users that were not sent. */
  notSent = 0;
  /** Users that were not sent and have no email address. */
  withoutEmail = 0;
  /** Customers whose authenticator app has no effect. */
  unusedApps = 0;
  /**
   * Searched linearly: there are few entries, and most strings are constants, so this is faster than building a key.
   */
  private readonly counted: ReportCount[] = [];
  private readonly others: ReportCount = {
    ...{ result: 'left_out', field: '', count: 0 },
    ...{ reason: 'Further reasons', remedy: 'Pass --report <file> to read them' },
  };
  private readonly output: WriteStream | null;
  private readonly isCsv: boolean;
  private failure: Error | null = null;

  /**
   * @param file the file to replace, CSV if its name ends with .csv, otherwise NDJSON; null to only count the entries
   */
  constructor(private readonly file: string | null) {
    this.isCsv = file?.toLowerCase().endsWith('.csv') ?? false;
    // Readable only by its owner, because it contains email addresses.
    this.output = file === null ? null : createWriteStream(file, { mode: 0o600 });
    this.output?.on('error', (error) => (this.failure = error));
    if (this.isCsv) this.output?.write(`${COLUMNS.join(',')}\n`);
  }

  /** Adds the values that were left out of a record. */
  async addRecord(record: SourceRecord): Promise<void> {
    const result = record.customer ? 'left_out' : 'not_sent';
    if (!record.customer) this.notSent += 1;
    if (!record.customer && record.leftOut.some(({ reason }) => reason === reasons.noEmail.reason))
      this.withoutEmail += 1;
    if (hasUnusedApp(record)) this.unusedApps += 1;
    for (const leftOut of record.leftOut) {
      const written = this.add(record, result, leftOut);
      if (written) await written;
    }
  }

  /**
   * Adds an entry.
   * @returns undefined if nothing is written, because a promise would take longer than counting the entry
   */
  add(record: SourceRecord, result: ReportResult, leftOut: LeftOut): Promise<void> | undefined {
    this.count(result, leftOut);
    return this.output ? this.write(this.output, record, result, leftOut) : undefined;
  }

  private count(result: ReportResult, { field, reason, remedy }: LeftOut): void {
    const known = this.counted.find(
      (each) =>
        each.field === field && each.reason === reason && each.result === result && each.remedy === remedy,
    );
    if (known) known.count += 1;
    else if (this.counted.length < MAX_REASONS)
      this.counted.push({ result, field, reason, remedy, count: 1 });
    else this.others.count += 1;
  }

  private async write(
    output: WriteStream,
    { position, sourceId, customer }: SourceRecord,
    result: ReportResult,
    leftOut: LeftOut,
  ): Promise<void> {
    const email = customer?.email ?? null;
    const entry: ReportEntry = { result, position, sourceId, email, ...leftOut };
    if (this.failure) throw this.toError(this.failure);
    const line = this.isCsv ? COLUMNS.map((name) => toCell(entry[name])).join(',') : JSON.stringify(entry);
    if (!output.write(`${line}\n`)) await once(output, 'drain');
  }

  /** Returns the counts, the largest first. */
  get counts(): ReportCount[] {
    const counts = [...this.counted].sort((one, other) => other.count - one.count);
    return this.others.count > 0 ? [...counts, this.others] : counts;
  }

  /** Completes the file. @throws CliError if it cannot be written */
  async close(): Promise<void> {
    if (!this.output) return;
    this.output.end();
    await finished(this.output).catch((error: unknown) => {
      throw this.toError(error as Error);
    });
  }

  private toError(error: Error): Error {
    return usageError(`Cannot write the report ${this.file}: ${error.message}`);
  }
}

/** Returns a CSV cell. Prefixes a value that a spreadsheet program would run as a formula. */
function toCell(value: string | null): string {
  const text = value ?? '';
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
