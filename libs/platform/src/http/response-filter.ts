import type { Socket } from 'node:net';
import { InterimResponseError } from './interim-response.error.js';
import { MalformedResponseError } from './malformed-response.error.js';
import { MAX_RESPONSE_HEAD_BYTES, parseResponseHead, readStatus } from './response-head.js';

/**
 * Limits on the number and the total size of 1xx responses to one request. Some servers use them to report progress.
 */
const MAX_INTERIM_RESPONSES = 20;
const MAX_INTERIM_BYTES = 64 * 1024;

/** Maximum number of line end bytes before the status line. Some servers send them after a body. */
const MAX_LEADING_BYTES = 64;

/** Number of small reads (fewer than SMALL_READ_BYTES bytes) in each response that are not delayed. */
const UNDELAYED_READS = 8;
const SMALL_READ_BYTES = 1_024;

/** Longest pause between two reads, in ms. With it, a response that takes 10 s consists of at most 23 small reads. */
const LONGEST_PAUSE_MS = 1_024;

/**
 * Maximum number of pieces, such as TLS records, in one response. More are allowed only if pieces have at least
 * MIN_PIECE_BYTES bytes on average.
 */
const MAX_PIECES = 512;
const MIN_PIECE_BYTES = 256;

/** Maximum number of session tickets and hello requests after a TLS handshake. */
const MAX_TLS_MESSAGES = 8;

/** Maximum number of body bytes that are parsed in one event loop turn. */
const SLICE_BYTES = 2_048;

/** Maximum number of bytes in a body, with chunk sizes and trailers, unless the reader allows more. */
const MAX_BODY_BYTES = 64 * 1024;

/** A TLS handle's callbacks, which Node.js calls if they are functions. */
interface TlsHandle {
  onhandshakestart: (() => void) | undefined;
  onhandshakedone: (() => void) | undefined;
  onnewsession: (() => void) | undefined;
}

/**
 * Bounds the work for each response on a connection before its bytes reach the Node.js parser:
 * - The parser receives only well-formed heads (`parseResponseHead`) with at most 100 headers and 16 KiB, and no 1xx
 * responses. The body after a longer head is not read.
 * - The parser receives a body in slices, one per event loop turn, so that the reader can stop early if a body consists
 * of tiny chunks.
 * - A response in many small packets is read with growing pauses, during which packets accumulate. A response in many
 * small TLS records is cut off.
 * - Bytes that arrive before a request close the connection, so that they cannot become its response.
 *
 * It overrides the socket's `push` and `_read`, through which all received bytes pass, after decryption if TLS is used.
 */
export class ResponseFilter {
  private static readonly filters = new WeakMap<Socket, ResponseFilter>();
  private readonly push: Socket['push'];
  private readonly read: Socket['_read'];
  private state: 'head' | 'body' | 'ignored' | 'idle' = 'head';
  private head: Buffer = Buffer.alloc(0);
  private interimCount = 0;
  private interimBytes = 0;
  private leadingBytes = 0;
  private pieceCount = 0;
  private byteCount = 0;
  private smallReadCount = 0;
  private mayPause = true;
  private maxBodyBytes = MAX_BODY_BYTES;
  /** Body bytes that the parser has not received yet. */
  private queue: Buffer = Buffer.alloc(0);
  /** Bytes that arrived during a pause. */
  private arrived: Buffer[] = [];
  private pauseTimer: NodeJS.Timeout | undefined;
  private isSlicing = false;
  private hasEnded = false;
  private isHeadTruncated = false;

  private constructor(private readonly socket: Socket) {
    this.push = socket.push.bind(socket);
    this.read = socket._read.bind(socket);
    socket.push = (bytes: Buffer | null) => (bytes === null ? this.end() : this.receive(bytes));
    socket._read = (size) => {
      if (!this.isHeld) this.read(size);
    };
    socket.once('secureConnect', () => this.limitTlsMessages());
  }

  /** Filters the responses on a new connection. */
  static attach(socket: Socket): ResponseFilter {
    const filter = new ResponseFilter(socket);
    this.filters.set(socket, filter);
    return filter;
  }

  static find(socket: Socket): ResponseFilter | undefined {
    return this.filters.get(socket);
  }

  /** True once the first response byte has arrived. */
  get hasStarted(): boolean {
    return this.pieceCount > 0;
  }

  /** True if response headers were ignored because they exceed a limit. */
  get isTruncated(): boolean {
    return this.isHeadTruncated;
  }

  /** Prepares for the response to the next request. */
  startRequest(): void {
    this.state = 'head';
    this.head = Buffer.alloc(0);
    this.interimCount = 0;
    this.interimBytes = 0;
    this.leadingBytes = 0;
    this.pieceCount = 0;
    this.byteCount = 0;
    this.smallReadCount = 0;
    this.mayPause = true;
    this.maxBodyBytes = MAX_BODY_BYTES;
    this.isHeadTruncated = false;
  }

  /**
   * Marks the connection as idle, so that no bytes are expected until the next request. Closes it if bytes remain or a
   * pause is in progress, because they would affect the next response.
   */
  endRequest(): void {
    this.state = 'idle';
    if (this.isHeld) this.fail(new MalformedResponseError());
  }

  /**
   * Raises the limit for a body.
   * @param bytes maximum size, without chunk sizes and trailers
   */
  allowBody(bytes: number): void {
    this.maxBodyBytes = MAX_BODY_BYTES + 2 * bytes;
  }

  /** Reads all data that has arrived without further pauses. Called before the request time limit expires. */
  stopPausing(): void {
    this.mayPause = false;
    if (this.pauseTimer) this.endPause();
  }

  private readonly endPause = (): void => {
    clearTimeout(this.pauseTimer);
    this.pauseTimer = undefined;
    const bytes = Buffer.concat(this.arrived);
    this.arrived = [];
    if (this.socket.destroyed) return;
    if (bytes.length > 0) this.accept(bytes);
    this.resume();
  };

  private get isHeld(): boolean {
    return this.isSlicing || this.pauseTimer !== undefined;
  }

  /**
   * Closes the connection after too many handshake messages. For each of them, Node.js repeats the steps after a
   * handshake, including the certificate check.
   */
  private limitTlsMessages(): void {
    const handle = (this.socket as unknown as { _handle: TlsHandle | null })._handle;
    if (!handle) return;
    let count = 0;
    const countMessage = (): void => {
      count += 1;
      if (count <= MAX_TLS_MESSAGES) return;
      // Messages that have already arrived cannot be stopped, but they are cheap without callbacks.
      handle.onhandshakestart = undefined;
      handle.onnewsession = undefined;
      this.fail(new MalformedResponseError());
    };
    handle.onhandshakedone = undefined;
    handle.onhandshakestart = countMessage;
    this.socket.on('session', countMessage);
  }

  private receive(bytes: Buffer): boolean {
    if (this.hasEnded) return false;
    if (this.state === 'idle') return this.fail(new MalformedResponseError());
    this.pieceCount += 1;
    this.byteCount += bytes.length;
    if (this.pieceCount > MAX_PIECES + this.byteCount / MIN_PIECE_BYTES) return this.cutOff();
    // A TLS read can contain thousands of records, which still arrive during a pause.
    if (this.pauseTimer) {
      this.arrived.push(bytes);
      return false;
    }
    const wantsMore = this.accept(bytes);
    if (bytes.length < SMALL_READ_BYTES) this.smallReadCount += 1;
    if (this.smallReadCount > UNDELAYED_READS && this.mayPause && !this.socket.destroyed)
      this.pauseTimer = setTimeout(this.endPause, pauseMs(this.smallReadCount - UNDELAYED_READS));
    return wantsMore && !this.isHeld;
  }

  private accept(bytes: Buffer): boolean {
    if (this.state === 'head') return this.addToHead(bytes);
    return this.state === 'body' ? this.forward(bytes, 0) : true;
  }

  /** Stops reading a response that exceeds a limit. Bytes that have already arrived are passed on. */
  private cutOff(): boolean {
    if (this.pauseTimer) this.endPause();
    const hasStatus = this.state !== 'head' || typeof readStatus(this.head) === 'number';
    return hasStatus ? this.end() : this.fail(new MalformedResponseError());
  }

  private end(): boolean {
    if (this.pauseTimer) this.endPause();
    const status = this.state === 'head' ? readStatus(this.head) : undefined;
    // The connection ended within the headers, but the status is still used.
    if (typeof status === 'number' && !isInterim(status)) this.passHead(status, null);
    this.hasEnded = true;
    return this.queue.length > 0 ? false : this.push(null);
  }

  private addToHead(bytes: Buffer): boolean {
    const searched = this.head.length;
    this.head = searched === 0 ? bytes : Buffer.concat([this.head, bytes]);
    for (let from = Math.max(0, searched - 2); ; from = 0) {
      const start = leadingLineEnds(this.head);
      this.leadingBytes += start;
      if (this.leadingBytes > MAX_LEADING_BYTES) return this.fail(new MalformedResponseError());
      this.head = this.head.subarray(start);
      const status = readStatus(this.head);
      if (status === null) return this.fail(new MalformedResponseError());
      const end = findHeadEnd(this.head, from);
      const length = end < 0 ? this.head.length : end;
      if (isInterim(status) && this.interimBytes + length > MAX_INTERIM_BYTES)
        return this.fail(new InterimResponseError());
      const isTooLong = length > MAX_RESPONSE_HEAD_BYTES && !isInterim(status);
      if (status === undefined || (end < 0 && !isTooLong)) return true;
      if (!isInterim(status)) return this.passHead(status, isTooLong ? null : end);
      this.interimCount += 1;
      this.interimBytes += length;
      if (status === 101 || this.interimCount > MAX_INTERIM_RESPONSES)
        return this.fail(new InterimResponseError());
      this.head = this.head.subarray(end);
      if (this.head.length === 0) return true;
    }
  }

  /** @param end the index of the body; null if there is none, because the head is incomplete or too long */
  private passHead(status: number, end: number | null): boolean {
    const bytes = this.head.subarray(0, end ?? MAX_RESPONSE_HEAD_BYTES + 1);
    const head = parseResponseHead(bytes, status, end !== null);
    this.isHeadTruncated = head.isTruncated;
    this.state = end === null ? 'ignored' : 'body';
    if (end === null) return this.push(head.bytes);
    this.byteCount = this.head.length - end;
    return this.forward(Buffer.concat([head.bytes, this.head.subarray(end)]), head.bytes.length);
  }

  /** @param headLength the number of bytes that are passed on in addition to a slice */
  private forward(bytes: Buffer, headLength: number): boolean {
    const excess = Math.max(this.byteCount - this.maxBodyBytes, 0);
    const allowed = bytes.subarray(0, Math.max(bytes.length - excess, 0));
    this.queue = this.queue.length > 0 ? Buffer.concat([this.queue, allowed]) : allowed;
    const wantsMore = this.isSlicing ? false : this.pushSlice(headLength + SLICE_BYTES);
    return excess > 0 ? this.cutOff() : wantsMore;
  }

  private pushSlice(length: number): boolean {
    const slice = this.queue.subarray(0, length);
    this.queue = this.queue.subarray(length);
    const wantsMore = this.push(slice);
    this.isSlicing = this.queue.length > 0;
    if (!this.isSlicing) return this.hasEnded ? this.push(null) : wantsMore;
    setImmediate(() => {
      if (this.socket.destroyed) return;
      this.pushSlice(SLICE_BYTES);
      this.resume();
    });
    return false;
  }

  private resume(): void {
    if (!this.isHeld && !this.socket.destroyed && !this.hasEnded) this.read(0);
  }

  private fail(error: Error): boolean {
    this.state = 'ignored';
    this.queue = Buffer.alloc(0);
    this.socket.destroy(error);
    return false;
  }
}

/**
 * Returns the pause length in ms. Each pause is four times as long as the previous one.
 * @param nth the number of the pause, starting at 1
 */
const pauseMs = (nth: number): number => Math.min(4 ** (nth - 1), LONGEST_PAUSE_MS);

const isInterim = (status: number | undefined): boolean =>
  status !== undefined && status >= 100 && status <= 199;

/** Returns the number of line end bytes at the beginning of a head. */
function leadingLineEnds(head: Buffer): number {
  let start = 0;
  while (head[start] === 0x0d || head[start] === 0x0a) start += 1;
  return start;
}

/**
 * Returns the index after the empty line that ends a head, or -1.
 * @param from the index at which to start the search
 */
function findHeadEnd(head: Buffer, from: number): number {
  const [lf, crlf] = [head.indexOf('\n\n', from, 'latin1'), head.indexOf('\n\r\n', from, 'latin1')];
  if (lf >= 0 && (crlf < 0 || lf < crlf)) return lf + 2;
  return crlf < 0 ? -1 : crlf + 3;
}
