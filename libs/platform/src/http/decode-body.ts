import { isUtf8 } from 'node:buffer';
import zlib from 'node:zlib';
import { isSmallBrotli } from './is-small-brotli.js';

/** Values that some servers send for an unencoded body. RFC 9110, section 8.4.1, defines only `identity`. */
const NO_CODING = new Set([
  ...['', 'identity', 'none', 'null', 'undefined', 'binary', '7bit', '8bit'],
  ...['utf-8', 'utf8', 'us-ascii', 'iso-8859-1'],
]);

/** Maximum number of codings that are decoded. */
const MAX_CODINGS = 2;

/**
 * The size in bytes of the pieces in which a body is decoded. At most this many bytes beyond `maxBytes` are decoded.
 */
const PIECE_BYTES = 16 * 1024;

// These flush modes decode as much of a truncated body as possible.
const zlibOptions = { finishFlush: zlib.constants.Z_SYNC_FLUSH, chunkSize: PIECE_BYTES };
const brotliOptions = { finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH, chunkSize: PIECE_BYTES };

type Decoder = (bytes: Buffer) => { stream: zlib.InflateRaw | zlib.BrotliDecompress; bytes: Buffer } | null;

/** Decodes gzip or zlib data, whichever of the two is declared. Ignores checksums and trailing bytes. */
const inflate: Decoder = (bytes) => {
  const start = isGzip(bytes) ? gzipHeaderLength(bytes) : zlibHeaderLength(bytes);
  return start === 0 ? null : inflateRaw(bytes.subarray(start));
};

/** Some servers send raw DEFLATE data instead of the zlib format. */
const inflateRaw: Decoder = (bytes) => ({ stream: zlib.createInflateRaw(zlibOptions), bytes });

/** Decodes only small bodies, because the decoder fills its window of up to 16 MiB before it returns the first byte. */
const decodeBrotli: Decoder = (bytes) =>
  isSmallBrotli(bytes) ? { stream: zlib.createBrotliDecompress(brotliOptions), bytes } : null;

/** The supported content codings (RFC 9110, section 8.4.1, and RFC 7932). */
const decoders = new Map<string, Decoder>([
  ['gzip', inflate],
  ['x-gzip', inflate],
  ['deflate', (bytes) => inflate(bytes) ?? inflateRaw(bytes)],
  ['br', decodeBrotli],
]);

/** Text media types. */
const TEXT_TYPE =
  /^$|^text\/|^application\/(?:[\w.-]+\+)?(?:json|xml|yaml|javascript|x-www-form-urlencoded)(?![\w.+-])/;

/** Control characters that do not occur in text, and the replacement character for invalid bytes. */
// oxlint-disable-next-line no-control-regex -- it searches for them
const NOT_TEXT = /[\0-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffd]/g;

const utf8 = new TextDecoder();

type Headers = Readonly<Record<string, unknown>>;

/** A decoded body: the text, or the coding or media type of a body that is not text. */
export type DecodedBody = { text: string; isTruncated: boolean } | { omitted: string };

/**
 * Decodes the text of a body according to its Content-Encoding and Content-Type. Invalid header values are ignored if
 * the body is readable without them.
 * @param isTruncated true if `bytes` contains only the beginning of the body
 * @param maxBytes maximum size of the decoded body; the rest is neither decoded nor returned
 */
export async function decodeBody(
  bytes: Buffer,
  headers: Headers,
  isTruncated: boolean,
  maxBytes: number,
): Promise<DecodedBody> {
  const type = headerText(headers['content-type']);
  const codings = headerText(headers['content-encoding'])
    .split(',')
    .map(codingName)
    .filter((coding) => !NO_CODING.has(coding));
  if (codings.length === 0 && isGzip(bytes)) codings.push('gzip');
  const content = { bytes, isTruncated };
  const decoded = codings.length === 0 ? content : await removeCodings(content, codings, maxBytes);
  const text = decodeText(decoded ?? content, type);
  const isText = (decoded !== null && TEXT_TYPE.test(type)) || isReadable(text);
  if (isText) return { text, isTruncated: (decoded ?? content).isTruncated };
  return { omitted: decoded ? (/^[\w.+-]+\/[\w.+-]+/.exec(type)?.[0] ?? 'binary') : codingNames(codings) };
}

/** Returns a coding's name without quotes and parameters, which some servers add. */
const codingName = (coding: string): string => coding.replace(/;.*/, '').replaceAll('"', '').trim();

const isGzip = ([first, second]: Buffer): boolean => first === 0x1f && second === 0x8b;

/** Returns a zlib header's length (RFC 1950), or 0 if there is none. */
const zlibHeaderLength = ([first = 0, second = 0]: Buffer): number =>
  (first & 15) === 8 && (first * 256 + second) % 31 === 0 ? 2 : 0;

/** Returns a gzip header's length (RFC 1952, section 2.3). */
function gzipHeaderLength(bytes: Buffer): number {
  const flags = bytes[3] ?? 0;
  let length = 10;
  if (flags & 4) length += 2 + (bytes[10] ?? 0) + 256 * (bytes[11] ?? 0);
  // The file name and the comment, which end with a NUL.
  for (const flag of [8, 16]) if (flags & flag) length = bytes.indexOf(0, length) + 1 || bytes.length;
  return flags & 2 ? length + 2 : length;
}

interface Content {
  bytes: Buffer;
  isTruncated: boolean;
}

/** Removes all codings from a body. Returns null if a coding is unknown or does not match the bytes. */
async function removeCodings(content: Content, codings: string[], maxBytes: number): Promise<Content | null> {
  if (codings.length > MAX_CODINGS || !codings.every((coding) => decoders.has(coding))) return null;
  let result: Content | null = content;
  // The last coding was applied last, so it must be removed first.
  for (const coding of codings.toReversed()) {
    result &&= await decompress(result, decoders.get(coding)!, maxBytes);
  }
  return result;
}

/** Decompresses up to `maxBytes` bytes. Returns null if the input is invalid from the start. */
function decompress(
  { bytes, isTruncated }: Content,
  decode: Decoder,
  maxBytes: number,
): Promise<Content | null> {
  const decoder = decode(bytes);
  if (!decoder) return Promise.resolve(null);
  const { stream } = decoder;
  const pieces: Buffer[] = [];
  let length = 0;
  return new Promise((resolve) => {
    const finish = (): void =>
      resolve({
        bytes: Buffer.concat(pieces).subarray(0, maxBytes),
        isTruncated: isTruncated || length > maxBytes,
      });
    stream.on('data', (piece: Buffer) => {
      pieces.push(piece);
      length += piece.length;
      if (length <= maxBytes) return;
      finish();
      stream.destroy();
    });
    stream.once('end', finish);
    stream.once('error', () => (length > 0 ? finish() : resolve(null)));
    stream.end(decoder.bytes);
  });
}

/**
 * Decodes text. A byte order mark takes precedence over the declared encoding. Without either, text is decoded as
 * UTF-8, or as windows-1252 if it is declared as text but not valid UTF-8.
 */
function decodeText({ bytes, isTruncated }: Content, type: string): string {
  const declared = /;\s*charset\s*=\s*["']?([^\s"';,]+)/.exec(type)?.[1];
  const charset =
    byteOrderMark(bytes) ?? (declared !== undefined && isKnown(declared) ? declared : undefined);
  // Avoids creating a decoder in the most common case.
  if (charset === undefined && !isTruncated && isUtf8(bytes)) return utf8.decode(bytes);
  // In stream mode, the decoder omits a character that the limit splits.
  const decode = (label: string, fatal: boolean): string =>
    new TextDecoder(label, { fatal }).decode(bytes, { stream: isTruncated });
  if (charset !== undefined) return decode(charset, false);
  try {
    return decode('utf-8', true);
  } catch {
    return decode(TEXT_TYPE.test(type) && type !== '' ? 'windows-1252' : 'utf-8', false);
  }
}

function isKnown(charset: string): boolean {
  try {
    return new TextDecoder(charset) !== null;
  } catch {
    return false;
  }
}

/** Returns the encoding of a UTF-16 byte order mark, or undefined if there is none. */
function byteOrderMark([first, second]: Buffer): string | undefined {
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined;
}

const isReadable = (text: string): boolean => (text.match(NOT_TEXT)?.length ?? 0) * 10 <= text.length;

const codingNames = (codings: string[]): string =>
  codings.every((coding) => /^[\w.+-]{1,40}$/.test(coding)) ? codings.slice(0, 3).join(', ') : 'encoded';

const headerText = (value: unknown): string => (typeof value === 'string' ? value.trim().toLowerCase() : '');
