import { canonicalCode } from '@gatehouse/domain';
import { Secret, TOTP } from 'otpauth';
import { secureBytes } from './random.js';

/** The parameters that every authenticator app supports (RFC 6238). */
const totpParameters = { algorithm: 'SHA1', digits: 6, period: 30 } as const;

/** The number of steps by which a clock can be off in either direction (RFC 6238, section 5.2). */
const WINDOW_STEPS = 1;

/** Returns a new authenticator secret in base32. It has 160 bits, as RFC 4226, section 4, recommends. */
export const newTotpSecret = (): string =>
  new Secret({ buffer: new Uint8Array(secureBytes(20)).buffer }).base32;

/** Maximum issuer length in characters. The URI contains it twice, with up to 12 bytes per encoded character. */
const MAX_ISSUER = 40;

/** Maximum URI length in characters. A QR code with medium error correction can contain 2,331. */
export const MAX_TOTP_URI = 2_000;

/**
 * Returns the URI that authenticator apps read from a QR code. A colon, even an encoded one, separates the issuer from
 * the account, so colons within the two are replaced with spaces.
 * @param issuer is shortened if it is too long
 */
export const totpUri = (secret: string, issuer: string, account: string): string =>
  new TOTP({
    ...totpParameters,
    issuer: shorten(withoutColons(issuer)),
    label: withoutColons(account),
    secret: Secret.fromBase32(secret),
  }).toString();

const withoutColons = (text: string): string => text.replace(/\s*:[\s:]*/g, ' ').trim();

function shorten(issuer: string): string {
  const characters = [...issuer];
  if (characters.length <= MAX_ISSUER) return issuer;
  const start = characters.slice(0, MAX_ISSUER - 1).join('');
  return `${start.trimEnd()}…`;
}

/**
 * Returns the time step of a code that is valid at the time `at`, or null if it is not valid. The caller must accept
 * each step only once (RFC 6238, section 5.2).
 */
export function totpStep(secret: string, code: string, at: Date): number | null {
  const token = canonicalCode(code);
  // The library throws a TypeError for characters that are longer than one byte in UTF-8.
  if (!/^[0-9]{6}$/.test(token)) return null;
  const timestamp = at.getTime();
  const totp = new TOTP({ ...totpParameters, secret: Secret.fromBase32(secret) });
  const delta = totp.validate({ token, timestamp, window: WINDOW_STEPS });
  return delta === null ? null : totp.counter({ timestamp }) + delta;
}
