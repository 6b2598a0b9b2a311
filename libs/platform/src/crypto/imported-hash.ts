import type { HashFields } from './imported-hash-decoders.js';
import { importedHashFormats } from './imported-hash-formats.js';
import type { ImportedHash } from './imported-hash-parameters.js';
import { typedForms, type PasswordForms } from './password-forms.js';

/** Maximum duration of one verification, in ms on a common core from 2024. */
const MAX_MS = 1_000;

/** Maximum memory for one verification, in bytes. Every hash thread can use this amount at the same time. */
const MAX_MEMORY_BYTES = 128 * 2 ** 20;

const MAX_TEXT_LENGTH = 1_024;

/**
 * A hash with one comparison's estimated duration, and the password forms to compare; or the problem with the string.
 */
export type ParsedHash =
  | { hash: ImportedHash; ms: number; forms: PasswordForms }
  /** `code`: `fast_hash` if only `allowFastHashes` is missing. */
  | { problem: string; code: 'invalid' | 'fast_hash' };

export interface ImportedHashOptions {
  /** True accepts hashes from fast functions (`isFastHash`). */
  allowFastHashes?: boolean;
}

/**
 * Parses a hash from another system strictly: a string that does not match exactly one of the formats has a problem.
 */
export function parseImportedHash(text: string, options: ImportedHashOptions = {}): ParsedHash {
  const format = importedHashFormats.find(({ prefix }) => prefix.test(text));
  if (!format) return invalid(`must be in one of the formats ${formatNames}`);
  const { name, pattern, limit } = format;
  const fields = text.length <= MAX_TEXT_LENGTH ? pattern.exec(text)?.groups : undefined;
  const decoded = fields ? format.decode(fields as HashFields) : null;
  if (!decoded) return invalid(`must be a well-formed ${name} hash`);
  const { hash, ms, bytes, forms = typedForms } = decoded;
  if (ms > MAX_MS || bytes > MAX_MEMORY_BYTES)
    return invalid(`must be cheaper to verify: the limit for ${name} is ${limit}`);
  if (isFastHash(hash) && !options.allowFastHashes)
    return {
      code: 'fast_hash',
      problem: `must not be a ${name} hash, which is fast to guess, unless the import sets allowFastHashes`,
    };
  return { hash, ms, forms };
}

/** The formats that apis with the schema before portable hashes (docs/adr/0102) verify, and Gatehouse's own. */
const EARLIER_FORMATS =
  /^(v1\$|\$2[aby]\$|\$argon2id\$|\$scrypt\$|\$pbkdf2(-sha1|-sha256|-sha512)?\$|pbkdf2_sha256\$|\$fbscrypt\$)/;

/**
 * Returns whether older apis cannot verify a hash, nor compare the password for an unknown email address with it. It must not
 * be stored while one is running.
 */
export const isNewHashFormat = (text: string): boolean => !EARLIER_FORMATS.test(text);

const invalid = (problem: string): ParsedHash => ({ problem, code: 'invalid' });

/** Several formats have the same name. */
const formatNames = [...new Set(importedHashFormats.map(({ name }) => name))].join(', ');

/**
 * Minimum parameters from the OWASP Password Storage Cheat Sheet, in equally strong alternatives: argon2 memory in KiB
 * and passes; scrypt N and p with r=8; bcrypt cost; PBKDF2 iterations by digest.
 */
const owaspMinimum = {
  argon2: [
    [47_104, 1],
    [19_456, 2],
    [12_288, 3],
    [9_216, 4],
    [7_168, 5],
  ],
  scrypt: [
    [2 ** 17, 1],
    [2 ** 16, 2],
    [2 ** 15, 3],
    [2 ** 14, 5],
    [2 ** 13, 10],
  ],
  bcrypt: 10,
  pbkdf2: { sha1: 1_300_000, sha256: 600_000, sha512: 210_000 },
} as const;

/** Returns true for a hash from another system that is cheaper to guess than OWASP recommends. */
export function isWeakHash(hash: ImportedHash): boolean {
  switch (hash.scheme) {
    case 'bcrypt':
      return Number(hash.hash.slice(4, 6)) < owaspMinimum.bcrypt;
    case 'pbkdf2':
      return hash.iterations < owaspMinimum.pbkdf2[hash.digest];
    case 'argon2id':
    case 'argon2i':
      return !owaspMinimum.argon2.some(
        ([memory, passes]) => hash.memoryKiB >= memory && hash.passes >= passes,
      );
    case 'scrypt':
    case 'firebase-scrypt':
      return !owaspMinimum.scrypt.some(([N, p]) => (hash.N * hash.r) / 8 >= N && hash.p >= p);
    case 'phpass':
    case 'salted-sha':
      return true;
  }
}

/** Returns true for a hash from a function that is not designed for passwords, which has no cost (docs/adr/0107). */
export const isFastHash = ({ scheme }: ImportedHash): boolean => scheme === 'salted-sha';

/**
 * Returns the reason why a string cannot be imported as a password hash, as words that follow the field's name, or null
 * if it can be imported.
 */
export function importedHashProblem(text: string, options?: ImportedHashOptions): string | null {
  const parsed = parseImportedHash(text, options);
  return 'problem' in parsed ? parsed.problem : null;
}
