import { Secret, TOTP } from 'otpauth';
import { secureBytes } from './random.js';

/** What every authenticator app understands (RFC 6238). */
const totpParameters = { algorithm: 'SHA1', digits: 6, period: 30 } as const;

/** Steps that a clock may be off, either way (RFC 6238, section 5.2). */
const WINDOW_STEPS = 1;

/** A new secret of an authenticator in base32: 160 bits, as RFC 4226, section 4, recommends. */
export const newTotpSecret = (): string =>
  new Secret({ buffer: new Uint8Array(secureBytes(20)).buffer }).base32;

/** What authenticator apps read from a QR code. */
export const totpUri = (secret: string, issuer: string, account: string): string =>
  new TOTP({ ...totpParameters, issuer, label: account, secret: Secret.fromBase32(secret) }).toString();

/**
 * The time step whose code this is, about the time `at`; null when it is none. The caller accepts each step once
 * (RFC 6238, section 5.2).
 */
export function totpStep(secret: string, code: string, at: Date): number | null {
  const timestamp = at.getTime();
  const totp = new TOTP({ ...totpParameters, secret: Secret.fromBase32(secret) });
  const delta = totp.validate({ token: code, timestamp, window: WINDOW_STEPS });
  return delta === null ? null : totp.counter({ timestamp }) + delta;
}
