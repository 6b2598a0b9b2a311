import { readFileSync } from 'node:fs';
import { errorCode } from '../runtime/errors.js';

/**
 * Returns the secret in a file, which must be one line of text. A trailing newline is not part of the secret.
 * @throws Error whose message contains neither the content nor the path, which may be a misplaced secret
 */
export function readSecretFile(path: string): string {
  const text = decode(read(path))?.replace(/\r?\n$/, '');
  if (text === '') throw new Error('is an empty file');
  if (text === undefined || /[\0\r\n]/.test(text))
    throw new Error('must be a file with one line of UTF-8 text');
  return text;
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new Error(`cannot be read (${errorCode(error)})`);
  }
}

/** Decodes UTF-8 and removes a byte order mark. Returns undefined if the bytes are not UTF-8. */
function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
