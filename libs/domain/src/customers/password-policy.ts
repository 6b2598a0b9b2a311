import { GatehouseError } from '../errors/gatehouse-error.js';

/** The reasons why a password is rejected (contract, section 2, `weak_password`). */
export type PasswordWeakness =
  | 'too_short'
  | 'too_long'
  | 'too_many_bytes'
  | 'too_common'
  | 'contains_personal_data'
  | 'breached';

export const PASSWORD_MAX_LENGTH = 128;

/**
 * The hashing methods for new passwords: with a pepper, or plain bcrypt, which other systems can verify
 * (docs/adr/0102).
 */
export const passwordHashings = ['peppered', 'portable'] as const;
export type PasswordHashing = (typeof passwordHashings)[number];

/** The number of password bytes that bcrypt uses. It ignores the rest. */
const BCRYPT_MAX_BYTES = 72;

/**
 * The number of consecutive guesses after which a password is blocked: no sign-in with it succeeds until it is reset or
 * the customer is unlocked (requirement OP-02).
 */
export const MAX_PASSWORD_GUESSES = 100;

/** Returns the message for the user whose password is rejected. */
export const passwordWeaknessMessage = (weakness: PasswordWeakness, minLength: number): string =>
  ({
    too_short: `Use at least ${minLength} characters.`,
    too_long: `Use at most ${PASSWORD_MAX_LENGTH} characters.`,
    too_many_bytes: `Use at most ${BCRYPT_MAX_BYTES} characters. Accented letters, other scripts and emoji count as two to four.`,
    too_common: 'This password is too common. Choose another one.',
    contains_personal_data: 'Do not use your email address or the name of this service.',
    breached: 'This password has appeared in a data breach. Choose another one.',
  })[weakness];

/**
 * Creates a 422 `weak_password`.
 * @param field the request field that contains the password
 */
export function weakPasswordError(
  reasons: PasswordWeakness[],
  minLength: number,
  field: string,
): GatehouseError {
  const errors = reasons.map((code) => ({ field, code, message: passwordWeaknessMessage(code, minLength) }));
  return new GatehouseError('weak_password', { errors, members: { reasons } });
}

export interface PasswordContext {
  /** Minimum length in code points. */
  minLength: number;
  hashing: PasswordHashing;
  email: string;
  /** Words that must not be used as the password: the project and organization names. */
  forbiddenWords: string[];
  /** Returns whether a lowercase password is on the list of common passwords. */
  isCommon: (password: string) => boolean;
}

/**
 * Returns a password in NFC, the form in which it is measured and hashed, so that it matches regardless of the system
 * on which it was typed.
 */
export const canonicalPassword = (password: string): string => password.normalize('NFC');

/** Returns whether a password exceeds the maximum length in code points. */
export const isPasswordTooLong = (password: string): boolean =>
  [...canonicalPassword(password)].length > PASSWORD_MAX_LENGTH;

/** Returns whether plain bcrypt would truncate a password. The limit counts UTF-8 bytes in NFC. */
export const exceedsBcryptLimit = (password: string): boolean =>
  Buffer.byteLength(canonicalPassword(password)) > BCRYPT_MAX_BYTES;

/**
 * Returns a new password's weaknesses; empty if there are none. The length is measured in code points in NFC, and there
 * are no composition rules (NIST SP 800-63B-4, section 3.1.1.2; requirements PW-01 and PW-05).
 */
export function passwordWeaknesses(password: string, context: PasswordContext): PasswordWeakness[] {
  const canonical = canonicalPassword(password);
  const length = [...canonical].length;
  const weaknesses: PasswordWeakness[] = [];
  if (length < context.minLength) weaknesses.push('too_short');
  if (context.hashing === 'portable' && exceedsBcryptLimit(password)) weaknesses.push('too_many_bytes');
  else if (isPasswordTooLong(password)) weaknesses.push('too_long');

  const lower = canonical.toLowerCase();
  if (context.isCommon(lower)) weaknesses.push('too_common');
  const [localPart = ''] = context.email.split('@');
  const personal = [context.email, localPart, ...context.forbiddenWords].map((word) =>
    word.normalize('NFC').trim().toLowerCase(),
  );
  if (personal.includes(lower.trim())) weaknesses.push('contains_personal_data');
  return weaknesses;
}
