import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { CliError, usageError } from '../cli-error.js';
import { decodeChunks, detectEncoding, type DecodedChunk } from '../console-shared/decode-text.js';
import { EncodingError } from '../console-shared/file-error.js';

/** The encodings of files without a byte order mark, by file path. */
const encodings = new Map<string, string>();

/** Sets a file's encoding for all readers, so that sources need not pass it. */
export function setEncoding(file: string, label: string): void {
  encodings.set(file, label);
}

/** Reads a file's bytes. Decompresses a file whose name ends with `.gz`. @throws CliError */
async function* readChunks(file: string): AsyncGenerator<Buffer> {
  const bytes = createReadStream(file, { highWaterMark: 256 * 1024 });
  const stream = /\.gz$/i.test(file) ? bytes.pipe(createGunzip()) : bytes;
  // `pipe` does not forward errors.
  if (stream !== bytes) bytes.on('error', (error) => stream.destroy(error));
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch (error) {
    throw unreadableFileError(file, error);
  } finally {
    bytes.destroy();
  }
}

/**
 * Reads a file in chunks, in constant memory.
 * @throws CliError if the file cannot be read, or has bytes that are not in its encoding
 */
export async function* readDecoded(file: string): AsyncGenerator<DecodedChunk> {
  try {
    yield* decodeChunks(() => readChunks(file), encodings.get(file) ?? 'utf-8');
  } catch (error) {
    throw unreadableFileError(file, error);
  }
}

/**
 * Returns true if a file without a byte order mark is valid UTF-8 with characters beyond ASCII, which is hardly ever a
 * coincidence.
 * @throws CliError
 */
export async function isProbablyUtf8(file: string): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let [isStart, hasOthers] = [true, false];
  try {
    for await (const bytes of readChunks(file)) {
      if (isStart && detectEncoding(bytes)) return false;
      isStart = false;
      const { length } = decoder.decode(bytes, { stream: true });
      if (length < bytes.length) hasOthers = true;
    }
    decoder.decode();
  } catch (error) {
    if (error instanceof CliError) throw error;
    return false;
  }
  return hasOthers;
}

/** Reads a file as text in chunks, without a byte order mark. @throws CliError */
export async function* readText(file: string): AsyncGenerator<string> {
  for await (const { text } of readDecoded(file)) yield text;
}

/**
 * Reads a file's lines in groups, because an async generator that yields single lines is slow.
 * @throws CliError
 */
export async function* readLineGroups(file: string): AsyncGenerator<string[]> {
  let rest = '';
  for await (const text of readText(file)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    yield lines;
  }
  if (rest !== '') yield [rest];
}

/** Returns the error for a file that cannot be read. */
export function unreadableFileError(file: string, error: unknown): CliError {
  if (error instanceof CliError) return error;
  const message = `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  if (!(error instanceof EncodingError)) return new CliError(message);
  return usageError(
    message,
    'Pass the encoding of the file, such as --encoding windows-1252 for a CSV file from Excel for Windows.',
  );
}
