// oxlint-disable-next-line no-restricted-imports -- creates the root secret
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync, linkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isNodeError } from '../runtime/errors.js';

const placeholders = /changeme|change-me|example|placeholder|password|secret|gatehouse|0123456789|abcdefgh/i;

/** Returns the problem with a root secret, worded to follow the setting's name, or null (requirement CF-01). */
export function rootSecretProblem(value: string): string | null {
  const secrets = value.split(',').map((secret) => secret.trim());
  for (const secret of secrets) {
    if (Buffer.byteLength(secret) < 32) return 'must have at least 32 bytes in each entry';
    if (placeholders.test(secret)) return 'looks like a placeholder. Use a random value';
    if (new Set(secret).size < 12) return 'has too little randomness. Use a random value';
  }
  return new Set(secrets).size === secrets.length ? null : 'contains the same entry twice';
}

/**
 * Returns the root secret that is stored in DATA_DIR. Creates it with mode 0600 if it does not exist. Concurrent
 * processes return the same value, because a hard link creates the complete file atomically.
 */
export function readOrCreateRootSecret(dataDir: string): string {
  const path = join(dataDir, 'root-secret');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const existing = readSecret(path);
  if (existing !== null) return existing;
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  // Flushed to disk before it is linked, because all other secrets are encrypted with it.
  writeFileSync(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!isNodeError(error, 'EEXIST')) throw error;
  } finally {
    unlinkSync(draft);
  }
  return readSecret(path)!;
}

/**
 * Returns the stored secret, or null if the file does not exist.
 * @throws Error if the file is damaged, because a new secret could not decrypt the existing data
 */
function readSecret(path: string): string | null {
  try {
    const secret = readFileSync(path, 'utf8').trim();
    if (Buffer.byteLength(secret) >= 32) return secret;
  } catch (error) {
    if (isNodeError(error, 'ENOENT')) return null;
    throw error;
  }
  throw new Error(`${path} is damaged. Restore it from a backup`);
}
