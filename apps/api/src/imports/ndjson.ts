import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { GatehouseError } from '@gatehouse/domain';
import { monotonicMs } from '@gatehouse/platform';

/** Longest line, in bytes (contract, section 2). */
const MAX_LINE_BYTES = 64 * 1024;

/** Within so many ms a sender has to send a line to its end, or the request has to end. */
const LINE_TIMEOUT_MS = 30_000;

const LINE_FEED = 10;

/** What is written at once: more would hold its rows, and those who wait for them, for too long. */
const BATCH_WEIGHT = 500;
const BATCH_BYTES = 2 ** 20;
const BATCH_MS = 5_000;

/** A line that asks for a password to be hashed takes longer than all the rest. */
const HASH_WEIGHT = 10;

/** One line of a body, without its line feed. */
export interface Line {
  /** Counted from 1. */
  number: number;
  /** Null for one that was too long, of which nothing is kept. */
  bytes: Buffer | null;
}

/** Lines that are imported together. */
export interface Batch {
  /** Without the blank ones. */
  lines: Line[];
  lastLine: number;
  /** SHA-256 of all lines of the body until then: whether another body begins with the same. */
  digest: Buffer;
}

/** Lines that an earlier request has imported. */
export interface ImportedLines {
  /** The last of them; 0 for none. */
  lastLine: number;
  /** Whether the digest until then is that of the lines it was. */
  matches: (digest: Buffer) => boolean;
  /** Asked once the body has begun with them. @returns the lines to compare when there are more by now */
  claim: () => Promise<ImportedLines | null>;
}

/**
 * Cuts a body into its lines, a few at a time as they come. At most one line is held in memory.
 * @param lineMs how long a line may take
 * @throws GatehouseError `request_timeout` when the sender stops in the middle
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
    // What the lines took here is not the sender's time.
    deadline = monotonicMs() + lineMs;
  }
  if (length > 0) yield [endLine()];
}

/**
 * Gathers the lines that come after those that are done with.
 * @throws GatehouseError `conflict` when the body does not begin with the lines that are done with
 */
export async function* readBatches(lines: AsyncIterable<Line[]>, done: ImportedLines): AsyncGenerator<Batch> {
  const hash = createHash('sha256');
  const digest = (): Buffer => hash.copy().digest();
  let open = new OpenBatch();
  let [last, lastDone] = [0, 0];
  let ahead = done.lastLine > 0 ? done : await done.claim();
  for await (const group of lines) {
    for (const line of group) {
      last = line.number;
      hash.update(line.bytes ?? 'too long').update('\n');
      if (ahead) {
        if (last < ahead.lastLine) continue;
        if (!ahead.matches(digest())) throw differentLinesError();
        ahead = await ahead.claim();
        lastDone = last;
        continue;
      }
      open.add(line);
      if (!open.isFull) continue;
      yield { lines: open.lines, lastLine: last, digest: digest() };
      open = new OpenBatch();
    }
  }
  if (ahead) throw differentLinesError();
  if (last > lastDone) yield { lines: open.lines, lastLine: last, digest: digest() };
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

/** JSON's own blanks: what ends in CR LF is a line like any other. */
const isBlank = (bytes: Buffer): boolean =>
  bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);

const differentLinesError = (): GatehouseError =>
  new GatehouseError('conflict', {
    detail:
      'This import was started with different lines. Send the same lines again, or use a different importId.',
  });

/** Nobody reads this answer. */
function throwTimeout(cause: unknown): never {
  throw new GatehouseError('request_timeout', { cause });
}

/** @throws GatehouseError `request_timeout` */
async function withDeadline<T>(deadline: number, waiting: Promise<T>): Promise<T> {
  waiting.catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const fail = (): void => reject(new GatehouseError('request_timeout'));
    timer = setTimeout(fail, Math.max(0, deadline - monotonicMs()));
  });
  return Promise.race([waiting, timeout]).finally(() => clearTimeout(timer));
}
