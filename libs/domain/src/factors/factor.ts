import type { CustomerMfaPolicy } from '../customers/customer.js';

/**
 * The policies on whether a project, or one of its customers, requires a second factor to sign in (sign-in contract,
 * section 1).
 */
export const mfaPolicies = ['off', 'optional', 'required'] as const;
export type MfaPolicy = (typeof mfaPolicies)[number];

/** Returns the policy that applies to a project's customer. */
export const effectiveMfa = (project: MfaPolicy, customer: CustomerMfaPolicy): MfaPolicy =>
  customer === 'required' ? 'required' : project;

/** The proof that a challenge requires: a second factor that the customer has, or enrolling the first one. */
export const challengeKinds = ['second_factor', 'enroll_factor'] as const;
export type ChallengeKind = (typeof challengeKinds)[number];

/** The methods with which a customer completes a challenge. */
export const challengeMethods = ['totp', 'passkey', 'recovery_code'] as const;
export type ChallengeMethod = (typeof challengeMethods)[number];

/** The methods whose proof is a code. */
export type CodeMethod = Exclude<ChallengeMethod, 'passkey'>;

/** The second factor types. */
export const factorTypes = ['totp'] as const;

/** Recovery codes per customer or operator. Each replaces the authenticator once. */
export const RECOVERY_CODE_COUNT = 10;

/** Maximum authenticators per customer. */
export const MAX_TOTP_FACTORS = 5;

/** Seconds for which a proof of identity allows account changes (requirement MF-05). */
export const FRESH_SECONDS = 10 * 60;

/**
 * Returns the form in which typed codes are compared: keyboards produce full-width digits, and copied text contains
 * spaces and invisible characters (sign-in contract, section 2).
 */
export const canonicalCode = (text: string): string =>
  text.normalize('NFKC').replace(/[\s\p{Default_Ignorable_Code_Point}]/gu, '');

/**
 * Returns the form in which recovery codes are compared. People type them with or without hyphens, or with the dashes
 * that word processors insert, in upper or lower case, and confuse the letters O, I and L, which no code contains, with
 * 0 and 1 (Crockford's base32).
 */
export const canonicalRecoveryCode = (text: string): string =>
  canonicalCode(text)
    .replace(/[\p{Dash_Punctuation}\u2212]/gu, '')
    .toLowerCase()
    .replaceAll('o', '0')
    .replace(/[il]/g, '1');
