import type { Readable } from 'node:stream';

/** A response to a request of Gatehouse. Its body must be read or discarded. */
export class OutboundResponse {
  /**
   * @param body the bytes as they were sent; the time limit of the request applies to them as well
   * @param toSafeError converts an error of the body to one without the request
   */
  constructor(
    readonly status: number,
    readonly headers: Readonly<Record<string, unknown>>,
    readonly body: Readable,
    private readonly toSafeError: (failure: unknown) => Error,
  ) {}

  /** True for a status from 200 to 299. */
  get ok(): boolean {
    return this.status >= 200 && this.status <= 299;
  }

  /** Closes the connection without reading the body. */
  discard(): void {
    this.body.on('error', () => undefined).destroy();
  }

  /**
   * Reads the body as UTF-8.
   * @throws Error if it is encoded, incomplete, late, or longer than `maxBytes`
   */
  async text(maxBytes: number): Promise<string> {
    if (isEncoded(this.headers['content-encoding'])) {
      this.discard();
      throw new Error('the response is encoded');
    }
    const chunks: Buffer[] = [];
    let length = 0;
    try {
      for await (const chunk of this.body as AsyncIterable<Buffer>) {
        length += chunk.length;
        // Leaving the loop destroys the stream, and with it the connection.
        if (length > maxBytes) break;
        chunks.push(chunk);
      }
    } catch (error) {
      throw this.toSafeError(error);
    }
    if (length > maxBytes) throw new Error(`the response is longer than ${maxBytes} bytes`);
    return new TextDecoder().decode(Buffer.concat(chunks));
  }
}

/** Returns whether a `content-encoding` header names an encoding. */
export const isEncoded = (contentEncoding: unknown): boolean =>
  typeof contentEncoding === 'string' && contentEncoding !== '' && contentEncoding !== 'identity';
