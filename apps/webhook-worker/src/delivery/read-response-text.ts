import type { Readable } from 'node:stream';
import { isEncoded } from '@gatehouse/platform';

/** How much of a target's answer is kept. */
export const MAX_RESPONSE_BYTES = 16 * 1024;

/**
 * The beginning of a response as text: at most 16 KiB, cut at a code point, invalid UTF-8 replaced, NUL
 * removed (requirement WH-12). A longer or slower body is left unread; what a body does after its status line
 * never changes the outcome.
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
    // Cut short by the target or the deadline: what has come is what there is.
  }
  return isEncoded(contentEncoding) ? '[encoded body omitted]' : toText(Buffer.concat(chunks));
}

function toText(bytes: Buffer): string {
  const text = decode(bytes).replaceAll('\0', '');
  const encoded = Buffer.from(text);
  // A replacement character takes more bytes than the invalid one it stands for.
  return encoded.length > MAX_RESPONSE_BYTES ? decode(encoded) : text;
}

/** As text up to the limit; a decoder that expects more keeps back the code point that the limit splits. */
const decode = (bytes: Buffer): string =>
  new TextDecoder().decode(bytes.subarray(0, MAX_RESPONSE_BYTES), {
    stream: bytes.length > MAX_RESPONSE_BYTES,
  });
