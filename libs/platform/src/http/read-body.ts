import { finished, type Readable } from 'node:stream';

/** Maximum pieces, such as chunks, that are read from a body. */
const MAX_PIECES = 1_000;

/** The received part of a body. */
export interface ReceivedBody {
  bytes: Buffer;
  /** `complete`; `cut` at a limit, after which the connection is closed; or interrupted by an error. */
  end: 'complete' | 'cut' | { error: unknown };
}

/** Reads a body up to `maxBytes`, or up to 1,000 pieces. Never rejects. */
export function readBody(stream: Readable, maxBytes: number): Promise<ReceivedBody> {
  const pieces: Buffer[] = [];
  let length = 0;
  return new Promise((resolve) => {
    const finish = (end: ReceivedBody['end']): void =>
      resolve({ bytes: Buffer.concat(pieces.slice(0, MAX_PIECES)).subarray(0, maxBytes), end });
    // The listener is synchronous, so that it can stop the parser within a packet that contains many chunks.
    stream.on('data', (piece: Buffer) => {
      pieces.push(piece);
      length += piece.length;
      if (length <= maxBytes && pieces.length <= MAX_PIECES) return;
      finish('cut');
      stream.destroy();
    });
    // Also calls back if the stream has already ended.
    finished(stream, (error) => finish(error ? { error } : 'complete'));
  });
}
