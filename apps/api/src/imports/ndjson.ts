import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { GatehouseError } from '@gatehouse/domain';
import { monotonicMs } from '@gatehouse/platform';

/** Maximum length of a line, in bytes (contract, section 2). */
const MAX_LINE_BYTES = 64 * 1024;

/** Maximum time for a sender to complete a line or to end the request, in ms. */
const LINE_TIMEOUT_MS = 30_000;

const LINE_FEED = 10;

/**
 * Batch limits. A larger batch would lock its rows for too long. At most two parsed batches are in memory at once;
 * `STREAM_BYTES` reserves the memory for them.
 */
const BATCH_WEIGHT = 500;
const BATCH_BYTES = 2 ** 18;
const BATCH_MS = 5_000;

/** Weight of a line with a password to hash, which takes longer than any other line. */
const HASH_WEIGHT = 10;

/** A line of a body, without its line feed. */
export interface Line {
  /** Starts at 1. */
  number: number;
  /** Null for a line that was too long; its content is discarded. */
  bytes: Buffer | null;
}

/** Lines that are imported together. */
export interface Batch {
  /** The lines that are not blank. */
  lines: Line[];
  lastLine: number;
  /** SHA-256 hash of the body up to `lastLine`, to check that another body starts with the same lines. */
  digest: Buffer;
}

/** Lines that an earlier request has imported. */
export interface ImportedLines {
  /** Number of the last imported line; 0 if no line was imported. */
  lastLine: number;
  /** True if the import is complete. It is then claimed only if further lines follow. */
  isCompleted?: boolean;
  /** Returns true if the digest up to `lastLine` matches the imported lines. */
  matches: (digest: Buffer) => boolean;
  /**
   * Called once the body is known to start with the imported lines.
   * @returns the lines to compare next if more have been imported in the meantime, otherwise null
   */
  claim: () => Promise<ImportedLines | null>;
}

/**
 * Splits a body into lines, and yields them in groups as they arrive. Holds at most one incomplete line in memory.
 * @param lineMs time limit for a line, in ms
 * @throws GatehouseError `request_timeout` if the sender does not complete a line in time
 */
export async function* readLines(body: Readable, lineMs = LINE_TIMEOUT_MS): AsyncGenerator<Line[]> {
  const chunks = body.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>;
  let [pieces, length, number] = [[] as Buffer[], 0, 0];
  const endLine = (): Line => {
    const bytes = length > MAX_LINE_BYTES ? null : Buffer.concat(pieces);
    [pieces, length] = [[], 0];
    return { number: (number += 1), bytes };
  };
  const add = (piece: Buffer): void => {
    length += piece.length;
    if (length <= MAX_LINE_BYTES) pieces.push(piece);
    else pieces = [];
  };
  let deadline = monotonicMs() + lineMs;
  for (;;) {
    const { done, value: chunk } = await withDeadline(deadline, chunks.next().catch(throwTimeout));
    if (done) break;
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      add(chunk.subarray(start, end));
      lines.push(endLine());
      start = end + 1;
    }
    if (start < chunk.length) add(chunk.subarray(start));
    if (lines.length === 0) continue;
    yield lines;
    // Processing time does not count toward the sender's limit.
    deadline = monotonicMs() + lineMs;
  }
  if (length > 0) yield [endLine()];
}

/**
 * Groups the lines that follow the imported lines into batches.
 * @throws GatehouseError `conflict` if the body does not start with the imported lines
 */
export async function* readBatches(
  lines: AsyncIterable<Line[]>,
  imported: ImportedLines,
): AsyncGenerator<Batch> {
  const hash = createHash('sha256');
  const digest = (): Buffer => hash.copy().digest();
  let batch = new OpenBatch();
  let [last, lastImported] = [0, 0];
  let unverified = imported.lastLine > 0 ? imported : await imported.claim();
  let completed: ImportedLines | null = null;
  for await (const group of lines) {
    for (const line of group) {
      if (completed) [unverified, completed] = [await completed.claim(), null];
      last = line.number;
      hash.update(line.bytes ?? 'too long').update('\n');
      if (unverified) {
        if (last < unverified.lastLine) continue;
        if (!unverified.matches(digest())) throw differentLinesError();
        lastImported = last;
        if (unverified.isCompleted) [unverified, completed] = [null, unverified];
        else unverified = await unverified.claim();
        continue;
      }
      batch.add(line);
      if (!batch.isFull) continue;
      yield { lines: batch.lines, lastLine: last, digest: digest() };
      batch = new OpenBatch();
    }
  }
  if (unverified) throw differentLinesError();
  if (last > lastImported) yield { lines: batch.lines, lastLine: last, digest: digest() };
}

class OpenBatch {
  readonly lines: Line[] = [];
  private weight = 0;
  private bytes = 0;
  private readonly startedAt = monotonicMs();

  add(line: Line): void {
    const { bytes } = line;
    if (bytes && isBlank(bytes)) return;
    this.lines.push(line);
    this.weight += bytes?.includes('"password"') ? HASH_WEIGHT : 1;
    this.bytes += bytes?.length ?? 0;
  }

  get isFull(): boolean {
    if (this.lines.length === 0) return false;
    const isOld = monotonicMs() - this.startedAt > BATCH_MS;
    return this.weight >= BATCH_WEIGHT || this.bytes >= BATCH_BYTES || isOld;
  }
}

/** Returns true if a line contains only JSON white space. CR is white space, so lines may end with CR LF. */
const isBlank = (bytes: Buffer): boolean =>
  bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);

const differentLinesError = (): GatehouseError =>
  new GatehouseError('conflict', {
    detail:
      'This import was started with different lines, or with a different value of update. Send the same lines again, or use a different importId.',
  });

/** Throws `request_timeout` for a broken connection, on which no response can be delivered. */
function throwTimeout(cause: unknown): never {
  throw new GatehouseError('request_timeout', { cause });
}

/**
 * Rejects if the deadline passes first.
 * @throws GatehouseError `request_timeout`
 */
async function withDeadline<T>(deadline: number, pending: Promise<T>): Promise<T> {
  pending.catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const fail = (): void => reject(new GatehouseError('request_timeout'));
    timer = setTimeout(fail, Math.max(0, deadline - monotonicMs()));
  });
  return Promise.race([pending, timeout]).finally(() => clearTimeout(timer));
}
