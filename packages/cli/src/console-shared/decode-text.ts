import { EncodingError } from './file-error.js';

/** A decoded chunk of a file. */
export interface DecodedChunk {
  /** The bytes, unchanged. */
  bytes: Uint8Array;
  /** The decoded text, without a byte order mark. A character that spans two chunks is in the second one. */
  text: string;
  encoding: string;
}

/** Decodes the chunks of a file one after the other. */
interface Decoder {
  readonly encoding: string;
  /** @param bytes undefined at the end of the file. @throws Error for bytes that are not in the encoding */
  decode(bytes?: Uint8Array, options?: { stream: true }): string;
}

/** Number of bytes that are decoded at once while searching for the line of an error. */
const SEARCH_SIZE = 4_096;

/**
 * Decodes a file in chunks, in constant memory. Detects the encoding from the first bytes, and falls back to `label`.
 * @param open returns all chunks of the file; called again if the file cannot be decoded
 * @param label an encoding name that `TextDecoder` accepts
 * @throws EncodingError at the first bytes that are not in the encoding
 */
export async function* decodeChunks(
  open: () => AsyncIterable<Uint8Array>,
  label: string,
): AsyncGenerator<DecodedChunk> {
  let decoder: Decoder | null = null;
  for await (const bytes of withStart(open())) {
    decoder ??= createDecoder(detectEncoding(bytes) ?? label);
    const text = tryDecode(decoder, bytes);
    if (text === null) throw await findError(open(), decoder.encoding);
    yield { bytes, text, encoding: decoder.encoding };
  }
  if (!decoder) return;
  const { encoding } = decoder;
  const text = tryDecode(decoder, null);
  if (text === null) throw await findError(open(), encoding);
  if (text !== '') yield { bytes: new Uint8Array(), text, encoding };
}

/** Decodes the next bytes. Returns null if they are not in the encoding. @param bytes null at the end of the file */
function tryDecode(decoder: Decoder, bytes: Uint8Array | null): string | null {
  try {
    return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode();
  } catch {
    return null;
  }
}

/** Returns true if `TextDecoder` accepts an encoding name. */
export function isEncoding(label: string): boolean {
  try {
    return createDecoder(label).encoding !== '';
  } catch {
    return false;
  }
}

function createDecoder(label: string): Decoder {
  const decoder = new TextDecoder(label, { fatal: true });
  return decoder.encoding === windows1252.encoding ? windows1252 : decoder;
}

/** The characters of the bytes 0x80 to 0x9F. All other bytes equal their code points. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/**
 * Replaces the Node.js decoder, which in 20.18.3 to 20.19, 22.13 and other versions silently decodes Windows-1252 as
 * ISO 8859-1 (https://github.com/nodejs/node/issues/56542).
 */
const windows1252: Decoder = {
  encoding: 'windows-1252',
  decode(bytes = new Uint8Array()) {
    let text = '';
    // JavaScript engines limit the number of arguments.
    for (let start = 0; start < bytes.length; start += 8_192)
      text += String.fromCharCode(...bytes.subarray(start, start + 8_192));
    return text.replace(/[\u0080-\u009f]/g, (character) => WINDOWS_1252[character.charCodeAt(0) - 0x80]!);
  },
};

/**
 * Detects the encoding from a byte order mark. Without one, detects UTF-16 from the zero byte in the first character,
 * which is ASCII in CSV and JSON (RFC 4627, section 3). Returns null if neither is found.
 */
export function detectEncoding([first, second, third]: Uint8Array): string | null {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first && second === 0) return 'utf-16le';
  return first === 0 && second ? 'utf-16be' : null;
}

/** Yields the chunks, with at least three bytes in the first one unless the file is shorter. */
async function* withStart(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let start: Uint8Array | null = new Uint8Array();
  for await (const chunk of chunks) {
    if (start === null) {
      yield chunk;
      continue;
    }
    start = start.length === 0 ? chunk : join(start, chunk);
    if (start.length < 3) continue;
    yield start;
    start = null;
  }
  if (start && start.length > 0) yield start;
}

function join(one: Uint8Array, other: Uint8Array): Uint8Array {
  const joined = new Uint8Array(one.length + other.length);
  joined.set(one);
  joined.set(other, one.length);
  return joined;
}

/** Returns the error with the line of the first bytes that are not in the encoding. */
async function findError(chunks: AsyncIterable<Uint8Array>, encoding: string): Promise<EncodingError> {
  // A decoder cannot go back, so one decoder finds the piece with the error, and a second one finds the byte in it.
  const [ahead, behind] = [createDecoder(encoding), createDecoder(encoding)];
  let line = 1;
  for await (const chunk of chunks)
    for (let start = 0; start < chunk.length; start += SEARCH_SIZE) {
      const piece = chunk.subarray(start, start + SEARCH_SIZE);
      const step = tryDecode(ahead, piece) === null ? 1 : piece.length;
      for (let index = 0; index < piece.length; index += step) {
        const text = tryDecode(behind, piece.subarray(index, index + step));
        if (text === null) return new EncodingError(encoding, line);
        line += text.split('\n').length - 1;
      }
    }
  return new EncodingError(encoding, line);
}
