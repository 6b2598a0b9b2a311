/** Maximum passkeys per customer. */
export const MAX_PASSKEYS = 20;

/** Maximum length for a passkey's name. */
export const PASSKEY_NAME_LENGTH = 100;

/** Seconds for which a challenge that a passkey signs is valid (requirement MF-06). */
export const CEREMONY_TTL = 10 * 60;

/**
 * The purpose for which a passkey signs a challenge: a sign-in, the second factor in a sign-in, its enrollment in a
 * sign-in or in a session, or a new proof of identity in a session.
 */
export type CeremonyPurpose = 'sign_in' | 'second_factor' | 'enroll' | 'add' | 'reauthenticate';
