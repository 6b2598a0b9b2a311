import { createHash } from 'node:crypto';
import { readDecoded } from './read-text.js';

/**
 * Derives the import id from the files and settings, so that the same command continues an interrupted import. It is a
 * version 8 UUID (RFC 9562, section 5.8), which may contain any data.
 */
export async function deriveImportId(files: readonly string[], settings: unknown): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(settings));
  for (const file of files) {
    const content = createHash('sha256');
    // Decoding makes a file in the wrong encoding fail before anything is imported.
    for await (const { bytes } of readDecoded(file)) content.update(bytes);
    hash.update(content.digest());
  }
  const bytes = hash.digest().subarray(0, 16);
  bytes[6] = 0x80 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
