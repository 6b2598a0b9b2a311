import type { HashFields } from './imported-hash-decoders.js';
import { importedHashFormats } from './imported-hash-formats.js';
import type { ImportedHash } from './imported-hash-parameters.js';
import { typedForms, type PasswordForms } from './password-forms.js';

/** Maximum duration of one verification, in ms on a typical core of 2024. */
const MAX_MS = 1_000;

/** Maximum memory of one verification, in bytes. All hash threads can use this amount at the same time. */
const MAX_MEMORY_BYTES = 128 * 2 ** 20;

const MAX_TEXT_LENGTH = 1_024;

/**
 * A hash with the estimated duration of one comparison and the forms of passwords to compare, or the problem with the
 * string.
 */
export type ParsedHash =
  | { hash: ImportedHash; ms: number; forms: PasswordForms }
  /** `code` is `fast_hash` if the hash would be accepted with `allowFastHashes`. */
  | { problem: string; code: 'invalid' | 'fast_hash' };

export interface ImportedHashOptions {
  /** True to accept hashes of fast functions (`isFastHash`). */
  allowFastHashes?: boolean;
}

/** Parses a hash from another system strictly: a string must match one of the formats exactly. */
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

/** The formats that API processes can verify if they use the schema before portable hashes (docs/adr/0102). */
const EARLIER_FORMATS =
  /^(v1\$|\$2[aby]\$|\$argon2id\$|\$scrypt\$|\$pbkdf2(-sha1|-sha256|-sha512)?\$|pbkdf2_sha256\$|\$fbscrypt\$)/;

/**
 * Returns whether older API processes can neither verify a hash nor use it as a decoy for unknown email addresses. Such
 * a hash must not be stored while one of them is running.
 */
export const isNewHashFormat = (text: string): boolean => !EARLIER_FORMATS.test(text);

const invalid = (problem: string): ParsedHash => ({ problem, code: 'invalid' });

/** The names without duplicates, because several formats have the same name. */
const formatNames = [...new Set(importedHashFormats.map(({ name }) => name))].join(', ');

/**
 * The minimum parameters of the OWASP Password Storage Cheat Sheet, with equally strong alternatives: memory in KiB and
 * passes for argon2, N and p with r=8 for scrypt, the cost for bcrypt, and the iterations by digest for PBKDF2.
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

/** Returns whether a hash from another system is weaker than OWASP recommends. */
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

/**
 * Returns whether a hash uses a function without a cost parameter that is not designed for passwords (docs/adr/0107).
 */
export const isFastHash = ({ scheme }: ImportedHash): boolean => scheme === 'salted-sha';

/** Returns the reason why a string cannot be imported as a password hash, worded to follow the field name, or null. */
export function importedHashProblem(text: string, options?: ImportedHashOptions): string | null {
  const parsed = parseImportedHash(text, options);
  return 'problem' in parsed ? parsed.problem : null;
}
