import type { Socket } from 'node:net';
import { InterimResponseError } from './interim-response.error.js';
import { MalformedResponseError } from './malformed-response.error.js';
import { MAX_RESPONSE_HEAD_BYTES, parseResponseHead, readStatus } from './response-head.js';

/** Maximum number of 1xx responses to one request; a server may announce its progress. */
const MAX_INTERIM_RESPONSES = 20;

/** Number of reads of one response that are not delayed. */
const FREE_READS = 8;

/** Longest pause between two reads, in ms. A response of 10 s consists of at most 23 reads. */
const LONGEST_PAUSE_MS = 1_024;

/** Maximum number of bytes of a body that are parsed in one turn of the event loop. */
const SLICE_BYTES = 2_048;

/**
 * Bounds the work for each response of a connection, before its bytes reach the parser of Node.js:
 * - The parser gets only well-formed heads (parseResponseHead) of at most 100 headers and 16 KiB, and no 1xx.
 *   The body after a longer head is not read.
 * - The parser gets a body in slices, one in each turn of the event loop, so that the reader of a body that
 *   consists of tiny chunks can stop early.
 * - A response in many small packets is read with growing pauses, in which the packets accumulate.
 * - Bytes that arrive before a request close the connection, so that they cannot become its response.
 *
 * It overrides `push` and `_read` of the socket, through which all received bytes pass, decrypted ones with TLS.
 */
export class ResponseFilter {
  private static readonly filters = new WeakMap<Socket, ResponseFilter>();
  private readonly push: Socket['push'];
  private readonly read: Socket['_read'];
  private state: 'head' | 'body' | 'ignored' | 'idle' = 'head';
  private head: Buffer = Buffer.alloc(0);
  private interimCount = 0;
  private readCount = 0;
  /** Bytes of the body that the parser has not received yet. */
  private queue: Buffer = Buffer.alloc(0);
  private hasEnded = false;
  /** Number of reasons not to read: a pause, and a queue. */
  private holds = 0;
  private isHeadCut = false;

  private constructor(private readonly socket: Socket) {
    this.push = socket.push.bind(socket);
    this.read = socket._read.bind(socket);
    socket.push = (bytes: Buffer | null) => (bytes === null ? this.end() : this.receive(bytes));
    socket._read = (size) => {
      if (this.holds === 0) this.read(size);
    };
  }

  /** Filters the responses of a new connection. */
  static attach(socket: Socket): ResponseFilter {
    const filter = new ResponseFilter(socket);
    this.filters.set(socket, filter);
    return filter;
  }

  static of(socket: Socket): ResponseFilter | undefined {
    return this.filters.get(socket);
  }

  /** True once the first byte of the response has arrived. */
  get hasStarted(): boolean {
    return this.readCount > 0;
  }

  /** True if headers of the response were ignored because they exceed a limit. */
  get isCut(): boolean {
    return this.isHeadCut;
  }

  /** Prepares for the response to the next request. */
  startRequest(): void {
    this.state = 'head';
    this.head = Buffer.alloc(0);
    this.interimCount = 0;
    this.readCount = 0;
    this.isHeadCut = false;
  }

  /**
   * Marks the connection as unused: no bytes are expected until the next request. Closes it if bytes remain, or if it is
   * in a pause, so that it does not affect the next response.
   */
  endRequest(): void {
    this.state = 'idle';
    if (this.holds > 0) this.fail(new MalformedResponseError());
  }

  private receive(bytes: Buffer): boolean {
    this.readCount += 1;
    if (this.state === 'idle') return this.fail(new MalformedResponseError());
    if (this.state === 'ignored') return true;
    const wantsMore = this.state === 'body' ? this.forward(bytes, 0) : this.addToHead(bytes);
    if (this.readCount > FREE_READS) this.pause(pauseMs(this.readCount - FREE_READS));
    return wantsMore && this.holds === 0;
  }

  private end(): boolean {
    const status = this.state === 'head' ? readStatus(this.head) : undefined;
    // The connection ends within the headers. The status counts.
    if (typeof status === 'number' && !isInterim(status)) this.passHead(status, null);
    this.hasEnded = true;
    return this.queue.length > 0 ? false : this.push(null);
  }

  private addToHead(bytes: Buffer): boolean {
    const searched = this.head.length;
    this.head = searched === 0 ? bytes : Buffer.concat([this.head, bytes]);
    for (let from = Math.max(0, searched - 2); ; from = 0) {
      this.head = withoutLeadingLines(this.head);
      const status = readStatus(this.head);
      if (status === null) return this.fail(new MalformedResponseError());
      const end = findHeadEnd(this.head, from);
      const isTooLong = (end < 0 ? this.head.length : end) > MAX_RESPONSE_HEAD_BYTES;
      if (status === undefined || (end < 0 && !isTooLong)) return true;
      if (!isInterim(status)) return this.passHead(status, isTooLong ? null : end);
      this.interimCount += 1;
      if (isTooLong || status === 101 || this.interimCount > MAX_INTERIM_RESPONSES)
        return this.fail(new InterimResponseError());
      this.head = this.head.subarray(end);
      if (this.head.length === 0) return true;
    }
  }

  /** @param end index of the body; null if there is none, because the head is incomplete or too long */
  private passHead(status: number, end: number | null): boolean {
    const bytes = this.head.subarray(0, end ?? MAX_RESPONSE_HEAD_BYTES + 1);
    const head = parseResponseHead(bytes, status, end !== null);
    this.isHeadCut = head.isCut;
    this.state = end === null ? 'ignored' : 'body';
    if (end === null) return this.push(head.bytes);
    if (head.bytes === bytes) return this.forward(this.head, end);
    return this.forward(Buffer.concat([head.bytes, this.head.subarray(end)]), head.bytes.length);
  }

  /** @param headLength number of bytes that are passed in addition to a slice */
  private forward(bytes: Buffer, headLength: number): boolean {
    const isWaiting = this.queue.length > 0;
    this.queue = isWaiting ? Buffer.concat([this.queue, bytes]) : bytes;
    return isWaiting ? false : this.pushSlice(headLength + SLICE_BYTES);
  }

  private pushSlice(length: number): boolean {
    const slice = this.queue.subarray(0, length);
    this.queue = this.queue.subarray(length);
    const wantsMore = this.push(slice);
    if (this.queue.length === 0) return this.hasEnded ? this.push(null) : wantsMore;
    this.hold((release) =>
      setImmediate(() => {
        if (this.socket.destroyed) return;
        this.pushSlice(SLICE_BYTES);
        release();
      }),
    );
    return false;
  }

  private pause(ms: number): void {
    this.hold((release) => setTimeout(release, ms));
  }

  /** Stops reading until `release` is called. */
  private hold(schedule: (release: () => void) => void): void {
    this.holds += 1;
    schedule(() => {
      this.holds -= 1;
      if (this.holds === 0 && !this.socket.destroyed && !this.hasEnded) this.read(0);
    });
  }

  private fail(error: Error): boolean {
    this.state = 'ignored';
    this.socket.destroy(error);
    return false;
  }
}

/** Each pause is four times as long as the previous one. @param nth number of the pause, from 1 */
const pauseMs = (nth: number): number => Math.min(4 ** (nth - 1), LONGEST_PAUSE_MS);

const isInterim = (status: number): boolean => status >= 100 && status <= 199;

/** Returns the bytes without CR and LF before the status line, which some servers send after a body. */
function withoutLeadingLines(head: Buffer): Buffer {
  let start = 0;
  while (head[start] === 0x0d || head[start] === 0x0a) start += 1;
  return head.subarray(start);
}

/** Returns the index after the empty line that ends a head, or -1. @param from index of the first new byte */
function findHeadEnd(head: Buffer, from: number): number {
  const [lf, crlf] = [head.indexOf('\n\n', from, 'latin1'), head.indexOf('\n\r\n', from, 'latin1')];
  if (lf >= 0 && (crlf < 0 || lf < crlf)) return lf + 2;
  return crlf < 0 ? -1 : crlf + 3;
}
