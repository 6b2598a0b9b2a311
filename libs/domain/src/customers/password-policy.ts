/** The reasons why a password is rejected (contract, section 2, `weak_password`). */
export type PasswordWeakness =
  | 'too_short'
  | 'too_long'
  | 'too_common'
  | 'contains_personal_data'
  | 'breached';

export const PASSWORD_MAX_LENGTH = 128;

/**
 * Number of consecutive guesses after which a password is closed: no sign-in with it succeeds until it is reset or the
 * customer is unlocked (requirement OP-02).
 */
export const MAX_PASSWORD_GUESSES = 100;

/** Returns the reason why a password is rejected, as a sentence for the person who chose it. */
export const passwordWeaknessMessage = (weakness: PasswordWeakness, minLength: number): string =>
  ({
    too_short: `Use at least ${minLength} characters.`,
    too_long: `Use at most ${PASSWORD_MAX_LENGTH} characters.`,
    too_common: 'This password is too common. Choose another one.',
    contains_personal_data: 'Do not use your email address or the name of this service.',
    breached: 'This password has appeared in a data breach. Choose another one.',
  })[weakness];

export interface PasswordContext {
  /** Minimum number of code points. */
  minLength: number;
  email: string;
  /** Words that must not be the password: the names of the project and the organization. */
  forbiddenWords: string[];
  /** Returns whether a password in lower case is on the list of common passwords. */
  isCommon: (password: string) => boolean;
}

/**
 * Returns the form in which a password is counted and hashed, so that a password typed on another system
 * still matches.
 */
export const canonicalPassword = (password: string): string => password.normalize('NFC');

/** Returns whether a password exceeds the maximum length, which counts code points. */
export const isPasswordTooLong = (password: string): boolean =>
  [...canonicalPassword(password)].length > PASSWORD_MAX_LENGTH;

/**
 * Returns the weaknesses of a new password; empty if there are none. Length counts code points of the NFC
 * form, and there are no composition rules (NIST SP 800-63B-4, section 3.1.1.2; requirements PW-01 and
 * PW-05).
 */
export function passwordWeaknesses(password: string, context: PasswordContext): PasswordWeakness[] {
  const canonical = canonicalPassword(password);
  const length = [...canonical].length;
  const weaknesses: PasswordWeakness[] = [];
  if (length < context.minLength) weaknesses.push('too_short');
  if (isPasswordTooLong(password)) weaknesses.push('too_long');

  const lower = canonical.toLowerCase();
  if (context.isCommon(lower)) weaknesses.push('too_common');
  const [localPart = ''] = context.email.split('@');
  const personal = [context.email, localPart, ...context.forbiddenWords].map((word) =>
    word.normalize('NFC').trim().toLowerCase(),
  );
  if (personal.includes(lower.trim())) weaknesses.push('contains_personal_data');
  return weaknesses;
}
