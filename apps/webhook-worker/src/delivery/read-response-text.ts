import type { Readable } from 'node:stream';
import { isEncoded } from '@gatehouse/platform';

/** Maximum size of the stored part of a response, in bytes. */
export const MAX_RESPONSE_BYTES = 16 * 1024;

/**
 * Returns the beginning of a response as text: at most 16 KiB, truncated at a code point, with invalid UTF-8
 * replaced and NUL removed (requirement WH-12). The rest of a longer or slower body is not read. After the
 * status line, the body never changes the outcome.
 */
export async function readResponseText(stream: Readable, contentEncoding: unknown): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      // Leaving the loop destroys the stream, and with it the connection.
      if (length > MAX_RESPONSE_BYTES) break;
    }
  } catch {
    // The target or the deadline ended the body. The part that was received is used.
  }
  return isEncoded(contentEncoding) ? '[encoded body omitted]' : toText(Buffer.concat(chunks));
}

function toText(bytes: Buffer): string {
  const text = decode(bytes).replaceAll('\0', '');
  const encoded = Buffer.from(text);
  // A replacement character has more bytes than the invalid byte that it replaces.
  return encoded.length > MAX_RESPONSE_BYTES ? decode(encoded) : text;
}

/** Returns the text up to the limit. In stream mode, the decoder omits a code point that the limit splits. */
const decode = (bytes: Buffer): string =>
  new TextDecoder().decode(bytes.subarray(0, MAX_RESPONSE_BYTES), {
    stream: bytes.length > MAX_RESPONSE_BYTES,
  });
