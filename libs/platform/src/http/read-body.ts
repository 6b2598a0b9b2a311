import { finished, type Readable } from 'node:stream';

/** Maximum number of pieces, such as chunks, that are read from a body. */
const MAX_PIECES = 1_000;

/** The received part of a body. */
export interface ReceivedBody {
  bytes: Buffer;
  /** `complete`, `cut` if a limit was reached and the connection was closed, or an error that interrupted the body. */
  end: 'complete' | 'cut' | { error: unknown };
}

/** Reads a body up to `maxBytes`, or up to 1,000 pieces. Never rejects. */
export function readBody(stream: Readable, maxBytes: number): Promise<ReceivedBody> {
  const pieces: Buffer[] = [];
  let length = 0;
  return new Promise((resolve) => {
    const finish = (end: ReceivedBody['end']): void =>
      resolve({ bytes: Buffer.concat(pieces.slice(0, MAX_PIECES)).subarray(0, maxBytes), end });
    // The listener is synchronous, so that it can stop the parser within a packet with many chunks.
    stream.on('data', (piece: Buffer) => {
      pieces.push(piece);
      length += piece.length;
      if (length <= maxBytes && pieces.length <= MAX_PIECES) return;
      finish('cut');
      stream.destroy();
    });
    // `finished` also calls back if the stream has already ended.
    finished(stream, (error) => finish(error ? { error } : 'complete'));
  });
}
