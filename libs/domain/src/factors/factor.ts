import type { CustomerMfaPolicy } from '../customers/customer.js';

/** A project's second factor policies: not available, optional or required (sign-in contract, section 1). */
export const mfaPolicies = ['off', 'optional', 'required'] as const;
export type MfaPolicy = (typeof mfaPolicies)[number];

/** Returns the policy that applies to a customer of a project. */
export const effectiveMfa = (project: MfaPolicy, customer: CustomerMfaPolicy): MfaPolicy =>
  customer === 'required' ? 'required' : project;

/** What a challenge requires: an existing second factor, or the enrollment of the first one. */
export const challengeKinds = ['second_factor', 'enroll_factor'] as const;
export type ChallengeKind = (typeof challengeKinds)[number];

/** The methods for completing a challenge. */
export const challengeMethods = ['totp', 'passkey', 'recovery_code'] as const;
export type ChallengeMethod = (typeof challengeMethods)[number];

/** The methods that use a code. */
export type CodeMethod = Exclude<ChallengeMethod, 'passkey'>;

/** The second factor types. */
export const factorTypes = ['totp'] as const;

/** Recovery codes per customer or operator. Each code replaces a second factor once. */
export const RECOVERY_CODE_COUNT = 10;

/** Maximum authenticators per customer. */
export const MAX_TOTP_FACTORS = 5;

/** Seconds after a sign-in or reauthentication during which a customer can change their account (requirement MF-05). */
export const FRESH_SECONDS = 10 * 60;

/**
 * Returns a typed code's canonical form, in which codes are compared. Some keyboards produce full-width digits, and
 * copied text can contain spaces and invisible characters (sign-in contract, section 2).
 */
export const canonicalCode = (text: string): string =>
  text.normalize('NFKC').replace(/[\s\p{Default_Ignorable_Code_Point}]/gu, '');

/**
 * Returns a recovery code's canonical form, in which codes are compared. Users type hyphens or omit them, paste the
 * dashes that word processors insert, and use upper or lower case. They also confuse the letters O, I and L, which no
 * code contains, with 0 and 1 (Crockford's base32).
 */
export const canonicalRecoveryCode = (text: string): string =>
  canonicalCode(text)
    .replace(/[\p{Dash_Punctuation}\u2212]/gu, '')
    .toLowerCase()
    .replaceAll('o', '0')
    .replace(/[il]/g, '1');
