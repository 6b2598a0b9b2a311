import { Secret, TOTP } from 'otpauth';
import { secureBytes } from './random.js';

/** The parameters that every authenticator app supports (RFC 6238). */
const totpParameters = { algorithm: 'SHA1', digits: 6, period: 30 } as const;

/** Number of steps by which a clock may deviate in either direction (RFC 6238, section 5.2). */
const WINDOW_STEPS = 1;

/** Returns a new authenticator secret in base32 with 160 bits, as RFC 4226, section 4, recommends. */
export const newTotpSecret = (): string =>
  new Secret({ buffer: new Uint8Array(secureBytes(20)).buffer }).base32;

/** Returns the URI that authenticator apps read from a QR code. */
export const totpUri = (secret: string, issuer: string, account: string): string =>
  new TOTP({ ...totpParameters, issuer, label: account, secret: Secret.fromBase32(secret) }).toString();

/**
 * Returns the time step of a code that is valid at the time `at`, or null if the code is not valid. The
 * caller must accept each step only once (RFC 6238, section 5.2).
 */
export function totpStep(secret: string, code: string, at: Date): number | null {
  const timestamp = at.getTime();
  const totp = new TOTP({ ...totpParameters, secret: Secret.fromBase32(secret) });
  const delta = totp.validate({ token: code, timestamp, window: WINDOW_STEPS });
  return delta === null ? null : totp.counter({ timestamp }) + delta;
}
