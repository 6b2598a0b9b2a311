import { readFileSync } from 'node:fs';
import { errorCode } from '../runtime/errors.js';

/**
 * Returns the secret in a file: one line of text, whose trailing newline does not belong to the secret.
 * @throws Error whose message contains neither the path, which may be a misplaced secret, nor the content
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

/** Returns the string without a byte order mark, or undefined if the bytes are not UTF-8. */
function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
