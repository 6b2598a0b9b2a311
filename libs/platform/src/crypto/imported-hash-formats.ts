import {
  decodeArgon2,
  decodeAspNetIdentity2,
  decodeAspNetIdentity3,
  decodeBcrypt,
  decodeBetterAuth,
  decodeFirebaseScrypt,
  decodePbkdf2,
  decodePhpass,
  decodeSaltedSha,
  decodeScrypt,
  decodeSsha,
  decodeTextSaltedScrypt,
  decodeTextSaltedSha,
  type DecodedHash,
  type HashFields,
} from './imported-hash-decoders.js';
import {
  djangoSha256Forms,
  phpBbForms,
  wordPressForms,
  wordPressHmacForms,
  type PasswordForms,
} from './password-forms.js';

/** A string format of password hashes from other systems. */
interface Format {
  name: string;
  prefix: RegExp;
  pattern: RegExp;
  /** Returns null for an invalid hash that the pattern cannot reject. */
  decode: (fields: HashFields) => DecodedHash | null;
  /** The highest parameters that the limits on duration and memory allow. */
  limit: string;
}

const base64 = '[A-Za-z0-9+/]+={0,2}';
const passlibBase64 = '[A-Za-z0-9+/.]+={0,2}';
const hex = '[0-9a-f]+';
/** A salt that is hashed as a string, without decoding. */
const textSalt = '(?<text>[!-#%-~]+)';
const positiveInteger = '[1-9]\\d*';
const hashPattern = (head: string, alphabet: string): RegExp =>
  new RegExp(`^${head}\\$(?<salt>${alphabet})\\$(?<hash>${alphabet})$`);

// The last characters of the salt and the hash are not fully used: the 22 characters of the salt contain 128 bits, and
// the 31 characters of the hash 184 bits.
const bcryptPattern = (head: string): RegExp =>
  new RegExp(
    `^${head}\\$2[aby](?<rest>\\$(?<cost>0[4-9]|[12]\\d|3[01])\\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{30}[.CGKOSWaeimquy26])$`,
  );

const withForms =
  (forms: PasswordForms) =>
  (decoded: DecodedHash | null): DecodedHash | null =>
    decoded && { ...decoded, forms };

const PHC_ARGON2 = `\\$v=19\\$m=(?<m>${positiveInteger}),t=(?<t>${positiveInteger}),p=(?<p>${positiveInteger})`;
const BCRYPT_LIMIT = 'cost 14';
const ARGON2_LIMIT = 'm=131072, m·t=1000000 and p=1000';
const SCRYPT_LIMIT = 'N·r=1048576 and (N+10)·r·p=4000000';
const PBKDF2_LIMIT = '2000000 iterations for each block of its digest';

/**
 * The formats of crypt_blowfish (bcrypt), PHC strings (argon2, scrypt, pbkdf2 with `i=`), passlib (scrypt, pbkdf2), and
 * Supabase Auth, which defined `$fbscrypt$` for firebase/scrypt.
 */
const commonFormats: Format[] = [
  {
    name: 'bcrypt',
    prefix: /^\$2[aby]\$/,
    pattern: bcryptPattern(''),
    decode: decodeBcrypt,
    limit: BCRYPT_LIMIT,
  },
  ...['argon2id', 'argon2i'].map((name) => ({
    name,
    prefix: new RegExp(`^(argon2)?\\$${name}\\$`),
    // Django prepends the hasher's name.
    pattern: hashPattern(`(argon2)?\\$argon2(?<kind>${name.slice('argon2'.length)})${PHC_ARGON2}`, base64),
    decode: decodeArgon2,
    limit: ARGON2_LIMIT,
  })),
  {
    name: 'scrypt',
    prefix: /^\$scrypt\$/,
    pattern: hashPattern(
      `\\$scrypt\\$ln=(?<n>${positiveInteger}),r=(?<r>${positiveInteger}),p=(?<p>${positiveInteger})`,
      base64,
    ),
    decode: decodeScrypt,
    limit: SCRYPT_LIMIT,
  },
  {
    name: 'pbkdf2',
    prefix: /^\$pbkdf2(-sha1|-sha256|-sha512)?\$/,
    pattern: hashPattern(
      `\\$pbkdf2(-(?<digest>sha1|sha256|sha512))?\\$(i=)?(?<i>${positiveInteger})(,l=(?<length>${positiveInteger}))?`,
      passlibBase64,
    ),
    decode: decodePbkdf2,
    limit: PBKDF2_LIMIT,
  },
  {
    name: 'fbscrypt',
    prefix: /^\$fbscrypt\$/,
    pattern: hashPattern(
      `\\$fbscrypt\\$v=1,n=(?<n>${positiveInteger}),r=(?<r>${positiveInteger}),p=(?<p>${positiveInteger}),ss=(?<ss>${base64}),sk=(?<sk>${base64})`,
      base64,
    ),
    decode: decodeFirebaseScrypt,
    limit: '2^n·r=1048576 and (2^n+10)·r·p=4000000',
  },
];

/** The formats of Django (django/contrib/auth/hashers.py) and Flask (werkzeug/security.py). */
const pythonFormats: Format[] = [
  {
    name: 'Django bcrypt',
    prefix: /^bcrypt\$/,
    pattern: bcryptPattern('bcrypt\\$'),
    decode: decodeBcrypt,
    limit: BCRYPT_LIMIT,
  },
  {
    name: 'Django bcrypt_sha256',
    prefix: /^bcrypt_sha256\$/,
    pattern: bcryptPattern('bcrypt_sha256\\$'),
    decode: (fields) => withForms(djangoSha256Forms)(decodeBcrypt(fields)),
    limit: BCRYPT_LIMIT,
  },
  {
    name: 'Django pbkdf2',
    prefix: /^pbkdf2_sha(1|256)\$/,
    pattern: new RegExp(
      `^pbkdf2_(?<digest>sha1|sha256)\\$(?<i>${positiveInteger})\\$${textSalt}\\$(?<hash>${base64})$`,
    ),
    decode: decodePbkdf2,
    limit: PBKDF2_LIMIT,
  },
  {
    name: 'Django scrypt',
    prefix: /^scrypt\$/,
    pattern: new RegExp(
      `^scrypt\\$(?<n>${positiveInteger})\\$${textSalt}\\$(?<r>${positiveInteger})\\$(?<p>${positiveInteger})\\$(?<hash>${base64})$`,
    ),
    decode: decodeTextSaltedScrypt,
    limit: SCRYPT_LIMIT,
  },
  {
    name: 'Werkzeug scrypt',
    prefix: /^scrypt:/,
    pattern: new RegExp(
      `^scrypt:(?<n>${positiveInteger}):(?<r>${positiveInteger}):(?<p>${positiveInteger})\\$${textSalt}\\$(?<hex>${hex})$`,
    ),
    decode: decodeTextSaltedScrypt,
    limit: SCRYPT_LIMIT,
  },
  {
    name: 'Werkzeug pbkdf2',
    prefix: /^pbkdf2:/,
    pattern: new RegExp(
      `^pbkdf2:(?<digest>sha1|sha256|sha512):(?<i>${positiveInteger})\\$${textSalt}\\$(?<hex>${hex})$`,
    ),
    decode: decodePbkdf2,
    limit: PBKDF2_LIMIT,
  },
];

const cryptDigits = '[./0-9A-Za-z]';
/**
 * The first digit is the base-2 logarithm of the iterations, 7 to 30. The last digit contains only 2 of the 128 hash
 * bits.
 */
const phpassPattern = (letter: string): RegExp =>
  new RegExp(`^\\$${letter}\\$(?<cost>[5-9A-S])(?<salt>${cryptDigits}{8})(?<hash>${cryptDigits}{21}[./01])$`);

/**
 * The formats of WordPress 6.8 (wp-includes/pluggable.php), and of earlier versions and phpBB
 * (https://www.openwall.com/phpass/).
 */
const phpFormats: Format[] = [
  {
    name: 'WordPress bcrypt',
    prefix: /^\$wp\$/,
    pattern: bcryptPattern('\\$wp'),
    decode: (fields) => withForms(wordPressHmacForms)(decodeBcrypt(fields)),
    limit: BCRYPT_LIMIT,
  },
  ...(
    [
      ['P', wordPressForms],
      ['H', phpBbForms],
    ] as const
  ).map(([letter, forms]) => ({
    name: 'phpass',
    prefix: new RegExp(`^\\$${letter}\\$`),
    pattern: phpassPattern(letter),
    decode: (fields: HashFields) => withForms(forms)(decodePhpass(fields)),
    limit: '2^19 iterations',
  })),
];

/**
 * The formats of Better Auth (packages/better-auth/src/crypto/password.ts) and ASP.NET Core Identity
 * (PasswordHasher.cs). Versions 2 and 3 of the latter are base64, and begin with the bytes 0 and 1.
 */
const frameworkFormats: Format[] = [
  {
    name: 'Better Auth scrypt',
    prefix: /^[0-9a-f]{32}:/,
    pattern: /^(?<text>[0-9a-f]{32}):(?<hex>[0-9a-f]{128})$/,
    decode: decodeBetterAuth,
    limit: SCRYPT_LIMIT,
  },
  {
    name: 'ASP.NET Core Identity',
    prefix: /^AQAAAA/,
    pattern: new RegExp(`^(?<hash>AQAAAA${base64})$`),
    decode: decodeAspNetIdentity3,
    limit: PBKDF2_LIMIT,
  },
  {
    name: 'ASP.NET Core Identity',
    prefix: /^A[A-P][A-Za-z0-9+/]{64}==$/,
    pattern: /^(?<hash>A[A-P][A-Za-z0-9+/]{64}==)$/,
    decode: decodeAspNetIdentity2,
    limit: PBKDF2_LIMIT,
  },
];

const FAST_LIMIT = 'one digest';

/**
 * Salted SHA: RFC 2307 with the salts of OpenLDAP (`{SSHA}`), Ory Kratos (`$sha256$pf=…`, where `pf` is the order in
 * base64, https://www.ory.sh/docs/kratos/manage-identities/import-user-accounts-identities), and the HMAC methods of
 * Werkzeug before 3.0. `sha1$…` is rejected, because Django uses it for a different function.
 */
const fastFormats: Format[] = [
  {
    name: 'salted SHA',
    prefix: /^\{SSHA(256|512)?\}/,
    pattern: new RegExp(`^\\{SSHA(?<length>256|512)?\\}(?<hash>${base64})$`),
    decode: decodeSsha,
    limit: FAST_LIMIT,
  },
  {
    name: 'salted SHA',
    prefix: /^\$sha(1|256|512)\$/,
    pattern: hashPattern(`\\$(?<digest>sha1|sha256|sha512)\\$pf=(?<order>${base64})`, base64),
    decode: decodeSaltedSha,
    limit: FAST_LIMIT,
  },
  {
    name: 'salted SHA',
    prefix: /^sha(256|512)\$/,
    pattern: new RegExp(`^(?<digest>sha256|sha512)\\$${textSalt}\\$(?<hex>${hex})$`),
    decode: decodeTextSaltedSha,
    limit: FAST_LIMIT,
  },
];

export const importedHashFormats: readonly Format[] = [
  ...commonFormats,
  ...pythonFormats,
  ...phpFormats,
  ...frameworkFormats,
  ...fastFormats,
];
