import type { Readable } from 'node:stream';
import { decodeBody } from './decode-body.js';
import { readBody, type ReceivedBody } from './read-body.js';
import type { ResponseFilter } from './response-filter.js';

/** Maximum number of UTF-8 bytes per UTF-16 code unit. */
const MAX_BYTES_PER_UNIT = 3;

/** A response to a request from Gatehouse. Its body must be read or discarded. */
export class OutboundResponse {
  /**
   * @param stream the body as it was sent; the request time limit applies to it as well
   * @param filter the connection's filter
   * @param toSafeError converts an error to an error that does not contain the request
   */
  constructor(
    readonly status: number,
    readonly headers: Readonly<Record<string, unknown>>,
    private readonly stream: Readable,
    private readonly filter: Pick<ResponseFilter, 'isTruncated' | 'allowBody'> | undefined,
    private readonly toSafeError: (failure: unknown) => Error,
  ) {}

  /** True for a status from 200 to 299. */
  get ok(): boolean {
    return this.status >= 200 && this.status <= 299;
  }

  /** True if headers were ignored because there are more than 100 or they exceed 16 KiB. */
  get hasIgnoredHeaders(): boolean {
    return this.filter?.isTruncated === true;
  }

  /** Closes the connection without reading the body. */
  discard(): void {
    this.stream.on('error', () => undefined).destroy();
  }

  /**
   * Reads the body as text (`decodeBody`).
   * @throws Error if it is incomplete, late, not text, or longer than `maxBytes`, encoded or decoded
   */
  async text(maxBytes: number): Promise<string> {
    const { bytes, end } = await this.readBody(maxBytes);
    if (typeof end === 'object') throw this.toSafeError(end.error);
    if (end === 'cut')
      throw new Error(`the response is longer than ${maxBytes} bytes, or consists of too many chunks`);
    const body = await decodeBody(bytes, this.headers, false, maxBytes);
    if ('omitted' in body) throw new Error(`the response is not text: ${body.omitted}`);
    if (body.isTruncated) throw new Error(`the decoded response is longer than ${maxBytes} bytes`);
    return body.text;
  }

  /**
   * Reads the beginning of the body as text, for a log. Never rejects: it returns a note in brackets if the body is not
   * text, and the received part if the body is incomplete.
   * @param maxBytes maximum size of the text in UTF-8, both encoded and decoded
   */
  async excerpt(maxBytes: number): Promise<string> {
    const { bytes, end } = await this.readBody(maxBytes);
    const body = await decodeBody(bytes, this.headers, end !== 'complete', maxBytes);
    const text = 'omitted' in body ? `[${body.omitted} body omitted]` : body.text;
    const note = this.hasIgnoredHeaders ? '[response headers beyond the limit ignored]\n' : '';
    return limitText(note + text, maxBytes);
  }

  private readBody(maxBytes: number): Promise<ReceivedBody> {
    this.filter?.allowBody(maxBytes);
    return readBody(this.stream, maxBytes);
  }
}

/** Removes NUL, which PostgreSQL cannot store, and truncates the text to `maxBytes` bytes in UTF-8. */
function limitText(text: string, maxBytes: number): string {
  const storable = text.replaceAll('\0', '');
  if (storable.length * MAX_BYTES_PER_UNIT <= maxBytes) return storable;
  const bytes = Buffer.from(storable);
  // In stream mode, the decoder omits a character that the limit splits.
  return new TextDecoder().decode(bytes.subarray(0, maxBytes), { stream: bytes.length > maxBytes });
}
