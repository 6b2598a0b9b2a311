/** Maximum duration of one verification, in ms on a common core of 2024. */
const MAX_MS = 1_000;

/** Maximum memory of one verification, in bytes. Every hash thread can use this amount at the same time. */
const MAX_MEMORY_BYTES = 128 * 2 ** 20;

const MAX_TEXT_LENGTH = 1_024;

/** A shorter hash would match too many passwords; no format produces a longer one. */
const HASH_LENGTH = { min: 16, max: 64 };

const DIGEST_BYTES = { sha1: 20, sha256: 32, sha512: 64 };

type Digest = keyof typeof DIGEST_BYTES;

interface Scrypt {
  /** RFC 7914: cost, block size, parallelization. */
  N: number;
  r: number;
  p: number;
  salt: Buffer;
}

/** The parameters with which a hash thread compares a password with a hash of another system. */
export type ImportedHash =
  | { scheme: 'bcrypt'; hash: string }
  | { scheme: 'argon2id'; memoryKiB: number; passes: number; lanes: number; salt: Buffer; hash: Buffer }
  | ({ scheme: 'scrypt'; hash: Buffer } & Scrypt)
  | { scheme: 'pbkdf2'; digest: Digest; iterations: number; salt: Buffer; hash: Buffer }
  | ({ scheme: 'firebase-scrypt'; signerKey: Buffer; hash: Buffer } & Scrypt);

/** A hash with the estimated duration of one verification, or the problem of the text. */
export type ParsedHash = { hash: ImportedHash; ms: number } | { problem: string };

interface DecodedHash {
  hash: ImportedHash;
  ms: number;
  bytes: number;
}

/** The named groups of the patterns. */
type Fields = Record<
  'cost' | 'hash' | 'i' | 'm' | 'n' | 'p' | 'r' | 'rest' | 'salt' | 'sk' | 'ss' | 't',
  string
> & { digest?: Digest; length?: string; text?: string };

interface Format {
  name: string;
  prefix: RegExp;
  pattern: RegExp;
  /** Returns null for an invalid hash that the pattern cannot reject. */
  decode: (fields: Fields) => DecodedHash | null;
  /** The parameters that MAX_MS and MAX_MEMORY_BYTES allow. */
  limit: string;
}

/** Returns the estimated duration of one bcrypt hash in ms, which doubles with each step of the cost. */
export const estimateBcryptMs = (cost: number): number => 60 * 2 ** (cost - 10);

const base64 = '[A-Za-z0-9+/]+={0,2}';
const passlibBase64 = '[A-Za-z0-9+/.]+={0,2}';
const positiveInteger = '[1-9]\\d*';
const hashPattern = (head: string, alphabet: string): RegExp =>
  new RegExp(`^${head}\\$(?<salt>${alphabet})\\$(?<hash>${alphabet})$`);

/**
 * The text formats that other systems export. Sources: crypt_blowfish (bcrypt), the PHC string format
 * (argon2id, scrypt, pbkdf2 with `i=`), passlib (scrypt, pbkdf2), Django's PBKDF2PasswordHasher, and Supabase
 * Auth, which defined a string with the parameters of firebase/scrypt (`$fbscrypt$`).
 */
const formats: Format[] = [
  {
    name: 'bcrypt',
    prefix: /^\$2[aby]\$/,
    // Only some bits of the last character of the salt and of the hash count: the 22 characters of the salt
    // contain 128 bits, the 31 of the hash 184 bits.
    pattern:
      /^\$2[aby](?<rest>\$(?<cost>0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{30}[.CGKOSWaeimquy26])$/,
    decode: decodeBcrypt,
    limit: 'cost 14',
  },
  {
    name: 'argon2id',
    prefix: /^\$argon2id\$/,
    pattern: hashPattern(
      `\\$argon2id\\$v=19\\$m=(?<m>${positiveInteger}),t=(?<t>${positiveInteger}),p=(?<p>${positiveInteger})`,
      base64,
    ),
    decode: decodeArgon2id,
    limit: 'm=131072, m·t=1000000 and p=1000',
  },
  {
    name: 'scrypt',
    prefix: /^\$scrypt\$/,
    pattern: hashPattern(
      `\\$scrypt\\$ln=(?<n>${positiveInteger}),r=(?<r>${positiveInteger}),p=(?<p>${positiveInteger})`,
      base64,
    ),
    decode: decodeScrypt,
    limit: 'N·r=1048576 and N·r·p=4000000',
  },
  {
    name: 'pbkdf2',
    prefix: /^\$pbkdf2(-sha1|-sha256|-sha512)?\$/,
    pattern: hashPattern(
      `\\$pbkdf2(-(?<digest>sha1|sha256|sha512))?\\$(i=)?(?<i>${positiveInteger})(,l=(?<length>${positiveInteger}))?`,
      passlibBase64,
    ),
    decode: decodePbkdf2,
    limit: '2000000 iterations for each block of its digest',
  },
  {
    name: 'pbkdf2_sha256',
    prefix: /^pbkdf2_sha256\$/,
    pattern: new RegExp(
      `^pbkdf2_sha256\\$(?<i>${positiveInteger})\\$(?<text>[!-#%-~]+)\\$(?<hash>${base64})$`,
    ),
    decode: decodePbkdf2,
    limit: '2000000 iterations',
  },
  {
    name: 'fbscrypt',
    prefix: /^\$fbscrypt\$/,
    pattern: hashPattern(
      `\\$fbscrypt\\$v=1,n=(?<n>${positiveInteger}),r=(?<r>${positiveInteger}),p=(?<p>${positiveInteger}),ss=(?<ss>${base64}),sk=(?<sk>${base64})`,
      base64,
    ),
    decode: decodeFirebaseScrypt,
    limit: '2^n·r=1048576 and 2^n·r·p=4000000',
  },
];

/**
 * Parses a hash of another system strictly: a text that does not match exactly one of the formats has a
 * problem.
 */
export function parseImportedHash(text: string): ParsedHash {
  const format = formats.find(({ prefix }) => prefix.test(text));
  if (!format)
    return { problem: `must be in one of the formats ${formats.map(({ name }) => name).join(', ')}` };
  const fields = text.length <= MAX_TEXT_LENGTH ? format.pattern.exec(text)?.groups : undefined;
  const decoded = fields ? format.decode(fields as Fields) : null;
  if (!decoded) return { problem: `must be a well-formed ${format.name} hash` };
  if (decoded.ms > MAX_MS || decoded.bytes > MAX_MEMORY_BYTES) {
    return { problem: `must be cheaper to verify: the limit for ${format.name} is ${format.limit}` };
  }
  return decoded;
}

/**
 * Minimum parameters of the OWASP Password Storage Cheat Sheet, in alternatives of the same strength: memory
 * in KiB and passes of argon2id; N and p of scrypt with r=8; cost of bcrypt; iterations of PBKDF2 by digest.
 */
const owaspMinimum = {
  argon2id: [
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

/** Returns true for a hash of another system that is cheaper to guess than OWASP recommends. */
export function isWeakHash(hash: ImportedHash): boolean {
  switch (hash.scheme) {
    case 'bcrypt':
      return Number(hash.hash.slice(4, 6)) < owaspMinimum.bcrypt;
    case 'pbkdf2':
      return hash.iterations < owaspMinimum.pbkdf2[hash.digest];
    case 'argon2id':
      return !owaspMinimum.argon2id.some(
        ([memory, passes]) => hash.memoryKiB >= memory && hash.passes >= passes,
      );
    case 'scrypt':
    case 'firebase-scrypt':
      return !owaspMinimum.scrypt.some(([N, p]) => (hash.N * hash.r) / 8 >= N && hash.p >= p);
  }
}

/**
 * Returns why a text cannot be imported as a password hash, as words that follow the field's name, or null if
 * it can be imported.
 */
export function importedHashProblem(text: string): string | null {
  const parsed = parseImportedHash(text);
  return 'problem' in parsed ? parsed.problem : null;
}

function decodeBcrypt({ rest, cost }: Fields): DecodedHash {
  // The letters identify bugs of old implementations that current ones do not have. The bcrypt package does
  // not support $2y$.
  return { hash: { scheme: 'bcrypt', hash: `$2b${rest}` }, ms: estimateBcryptMs(Number(cost)), bytes: 0 };
}

function decodeArgon2id(fields: Fields): DecodedHash | null {
  const [memoryKiB, passes, lanes] = [Number(fields.m), Number(fields.t), Number(fields.p)];
  const [salt, hash] = [decodeBase64(fields.salt), decodeHashBytes(fields.hash)];
  // RFC 9106 requires 8 KiB per lane, the reference implementation 8 bytes of salt.
  if (!salt || !hash || salt.length < 8 || memoryKiB < 8 * lanes) return null;
  return {
    hash: { scheme: 'argon2id', memoryKiB, passes, lanes, salt, hash },
    ms: Math.max((memoryKiB * passes) / 1_000, lanes),
    bytes: memoryKiB * 1_024,
  };
}

function decodeScrypt(fields: Fields): DecodedHash | null {
  const [salt, hash] = [decodeBase64(fields.salt), decodeHashBytes(fields.hash)];
  const cost = scryptCost(fields);
  if (!salt || !hash || !cost) return null;
  return { ...cost.estimate, hash: { scheme: 'scrypt', ...cost.parameters, salt, hash } };
}

function decodeFirebaseScrypt(fields: Fields): DecodedHash | null {
  const [salt, separator] = [decodeBase64(fields.salt), decodeBase64(fields.ss)];
  const [signerKey, hash] = [decodeHashBytes(fields.sk), decodeHashBytes(fields.hash)];
  const cost = scryptCost(fields);
  // The hash is the signer key, encrypted in counter mode, so both have the same length.
  if (!salt || !separator || !signerKey || hash?.length !== signerKey.length || !cost) return null;
  const salted = { ...cost.parameters, salt: Buffer.concat([salt, separator]) };
  return { ...cost.estimate, hash: { scheme: 'firebase-scrypt', ...salted, signerKey, hash } };
}

function scryptCost(fields: Fields) {
  const [n, r, p] = [Number(fields.n), Number(fields.r), Number(fields.p)];
  // RFC 7914, section 6: N < 2^(128·r/8).
  if (n >= 16 * r) return null;
  const N = 2 ** n;
  return {
    parameters: { N, r, p },
    estimate: { ms: (N * r * p) / 4_000, bytes: 128 * r * Math.max(N, p) },
  };
}

function decodePbkdf2({ text, ...fields }: Fields): DecodedHash | null {
  // `$pbkdf2$` is passlib's name for SHA-1. In Django's format the salt is the unencoded text.
  const digest = fields.digest ?? (text === undefined ? 'sha1' : 'sha256');
  const salt = text === undefined ? decodePasslibBase64(fields.salt) : Buffer.from(text);
  const hash = decodePasslibBase64(fields.hash);
  if (!salt || !hash || !isHashLength(hash.length)) return null;
  if (fields.length !== undefined && Number(fields.length) !== hash.length) return null;
  const iterations = Number(fields.i);
  const blocks = Math.ceil(hash.length / DIGEST_BYTES[digest]);
  return {
    hash: { scheme: 'pbkdf2', digest, iterations, salt, hash },
    ms: (iterations * blocks) / 2_000,
    bytes: 0,
  };
}

/**
 * Decodes base64 with full padding or without padding. Returns null for a text that is not the canonical
 * encoding of its bytes.
 */
function decodeBase64(text: string): Buffer | null {
  const decoded = Buffer.from(text, 'base64');
  const padded = decoded.toString('base64');
  return text === padded || text === padded.replace(/=+$/, '') ? decoded : null;
}

/** Decodes the base64 of passlib, which uses `.` instead of `+`. */
function decodePasslibBase64(text: string): Buffer | null {
  return decodeBase64(text.includes('+') ? text : text.replaceAll('.', '+'));
}

function decodeHashBytes(text: string): Buffer | null {
  const hash = decodeBase64(text);
  return hash && isHashLength(hash.length) ? hash : null;
}

function isHashLength(length: number): boolean {
  return length >= HASH_LENGTH.min && length <= HASH_LENGTH.max;
}
