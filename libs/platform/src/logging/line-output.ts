import { write, writeSync } from 'node:fs';

/**
 * Maximum number of characters that wait for a stalled output. At 500 requests per second, the limit is reached after
 * about ten seconds.
 */
const MAX_WAITING_LENGTH = 4 * 1024 * 1024;

/** Delay before a failed write is repeated, in ms. It doubles with each failure, up to the maximum. */
const MIN_RETRY_MS = 1;
const MAX_RETRY_MS = 250;

/**
 * Writes complete lines to standard output or standard error. If the output does not accept them, because the disk is
 * full or a pipe's reader stalls or has exited, a limited number of lines waits, and further lines are dropped and
 * counted. Never throws and never blocks the event loop (docs/adr/0090-log-output.md).
 */
export class LineOutput {
  /** The number of lines that were dropped since the process started. */
  dropped = 0;

  private waiting = '';
  /** The bytes that are being written. If the output accepts only a part, the rest is written next. */
  private chunk: Buffer | undefined;
  private isScheduled = false;
  private reported = 0;
  private retryMs = MIN_RETRY_MS;
  private onDrain: (() => void)[] = [];

  /**
   * @param stream `process.stdout` or `process.stderr`. Reading this property makes a pipe non-blocking. Otherwise, a
   * write to a full pipe would block a thread in the pool, for which `process.exit()` waits
   * @param reportDropped called with the number of dropped lines once the output accepts lines again
   */
  constructor(
    private readonly stream: { fd: number },
    private readonly reportDropped: (lines: number) => void,
  ) {
    process.once('exit', () => this.writeRest());
  }

  /**
   * Accepts complete lines. The lines of one event loop turn are written together.
   * @returns false if the caller should wait for {@link drained}, because further lines may be dropped
   */
  write(lines: string): boolean {
    if (this.waitingLength + lines.length > MAX_WAITING_LENGTH) this.dropped += countLines(lines);
    else this.waiting += lines;
    if (!this.isScheduled && !this.chunk) {
      this.isScheduled = true;
      setImmediate(() => this.writeNext());
    }
    return this.waitingLength < MAX_WAITING_LENGTH / 2;
  }

  /** Resolves when all accepted lines have been written. Never resolves if the output stays full. */
  drained(): Promise<void> {
    if (this.waitingLength === 0) return Promise.resolve();
    return new Promise((resolve) => this.onDrain.push(resolve));
  }

  private get waitingLength(): number {
    return this.waiting.length + (this.chunk?.length ?? 0);
  }

  private writeNext(): void {
    this.isScheduled = false;
    if (this.waiting === '') {
      for (const resolve of this.onDrain.splice(0)) resolve();
      return;
    }
    this.chunk = Buffer.from(this.waiting);
    this.waiting = '';
    this.writeChunk(this.chunk);
  }

  private writeChunk(chunk: Buffer): void {
    write(this.stream.fd, chunk, (error, written) => {
      if (error) {
        this.retry(error, chunk);
        return;
      }
      this.retryMs = MIN_RETRY_MS;
      this.chunk = written < chunk.length ? chunk.subarray(written) : undefined;
      if (this.chunk) this.writeChunk(this.chunk);
      else this.finishChunk();
    });
  }

  private retry({ code }: NodeJS.ErrnoException, chunk: Buffer): void {
    const timer = setTimeout(() => this.writeChunk(chunk), this.retryMs);
    // A command waits for a slow reader before it exits, but not for disk space or a new reader.
    if (code !== 'EAGAIN') timer.unref();
    this.retryMs = Math.min(this.retryMs * 2, MAX_RETRY_MS);
  }

  private finishChunk(): void {
    const lost = this.dropped - this.reported;
    this.reported = this.dropped;
    if (lost > 0) this.reportDropped(lost);
    this.writeNext();
  }

  /** Writes the last event loop turn's lines, unless a write is in progress, because the exit must not be delayed. */
  private writeRest(): void {
    if (this.chunk) return;
    try {
      for (let rest = Buffer.from(this.waiting); rest.length > 0;)
        rest = rest.subarray(writeSync(this.stream.fd, rest));
    } catch {
      // The process cannot wait until the output accepts lines again.
    }
  }
}

const countLines = (lines: string): number => lines.split('\n').length - 1;
