/** Maximum passkeys per customer. */
export const MAX_PASSKEYS = 20;

/** Maximum passkey name length. */
export const PASSKEY_NAME_LENGTH = 100;

/** Validity in seconds of a challenge that a passkey signs (requirement MF-06). */
export const CEREMONY_TTL = 10 * 60;

/**
 * The purpose for which a passkey signs a challenge: a sign-in (`sign_in`), a second factor (`second_factor`), passkey
 * enrollment during a sign-in (`enroll`) or in a session (`add`), or a reauthentication in a session.
 */
export type CeremonyPurpose = 'sign_in' | 'second_factor' | 'enroll' | 'add' | 'reauthenticate';
