import type { ErrorEntry } from './error-entry.js';

/** The error codes of signing in and of sessions. */
export const signInErrors = {
  invalid_credentials: {
    status: 401,
    title: 'Email or password is incorrect',
    cause: 'The email address is unknown, or the password is incorrect.',
    remedy: 'Check both, or reset the password.',
  },
  invalid_code: {
    status: 400,
    title: 'The code is not valid',
    cause: 'The code is incorrect, expired, already used, or void after too many guesses or newer codes.',
    remedy:
      'Enter the newest code of the email or the current one of the authenticator app, or an unused recovery code. For the code of a redirect, begin the sign-in again.',
  },
  challenge_expired: {
    status: 400,
    title: 'The challenge has expired',
    cause:
      'The challenge token is unknown, older than ten minutes, already completed, or was used with too many incorrect codes.',
    remedy: 'Sign in again to receive a new challenge.',
  },
  passkey_not_accepted: {
    status: 401,
    title: 'The passkey is not accepted',
    cause:
      'The passkey is unknown, belongs to another customer or project, or its response is not valid: the challenge is older than ten minutes or was already used, the origin is not allowed, the user was not verified, or the signature or its counter is not correct.',
    remedy: 'Request new options and use a passkey of this project.',
  },
  invalid_refresh_token: {
    status: 401,
    title: 'The refresh token is not valid',
    cause: 'The refresh token is unknown, or its session has ended.',
    remedy: 'Sign in again.',
  },
  refresh_token_expired: {
    status: 401,
    title: 'The refresh token has expired',
    cause: 'The session was inactive for too long or reached its maximum age.',
    remedy: 'Sign in again.',
  },
  refresh_token_reused: {
    status: 401,
    title: 'The refresh token was used twice',
    cause: 'A refresh token that had already been exchanged was used again, so its session has been revoked.',
    remedy: 'Sign in again. Refresh from one client only, and store the newest token.',
  },
  invalid_access_token: {
    status: 401,
    title: 'The access token is not valid',
    cause: 'The access token is missing, malformed, expired, from another issuer, or its session has ended.',
    remedy: 'Refresh the tokens, or sign in again.',
  },
  customer_disabled: {
    status: 403,
    title: 'The customer is disabled',
    cause: 'The password or code is correct, but the customer has been disabled.',
    remedy: 'Enable the customer with a secret key.',
  },
  email_not_verified: {
    status: 403,
    title: 'The email address is not verified',
    cause: 'The password is correct, but this project requires a verified address.',
    remedy: 'Open the link in the verification email, or request it again.',
  },
  reauthentication_required: {
    status: 403,
    refreshStatus: 401,
    title: 'A new proof of identity is required',
    cause:
      'The action requires a recent proof of identity in this session: within ten minutes for a customer, with a second factor if the customer has one; with a code within five minutes for an operator. A refresh returns 401 if the session must first be renewed by a sign-in.',
    remedy:
      'Prove the identity with one of methods at POST /api/v1/me/reauthenticate, or POST /operator/v1/session/reauthenticate in the console, then repeat the request. After a 401, sign in again.',
  },
  too_many_passkeys: {
    status: 409,
    title: 'The customer has too many passkeys',
    cause: 'The customer has 20 passkeys.',
    remedy: 'Remove one first.',
  },
  last_sign_in_method: {
    status: 409,
    title: 'This is the last way to sign in',
    cause: 'The customer has no password and could not sign in without this passkey.',
    remedy: 'Set a password or add another passkey first.',
  },
  method_not_enabled: {
    status: 403,
    title: 'The method is not enabled',
    cause: 'The settings of the project do not allow this method of signing in or of a second factor.',
    remedy: 'Use a method that GET /api/v1/auth/options lists, or enable this one in the project settings.',
  },
  sign_up_not_allowed: {
    status: 403,
    title: 'Sign-up is not allowed',
    cause: 'The project does not let customers create accounts: its setting signIn.allowSignUp is false.',
    remedy: 'Create the customer with a secret key, or allow sign-up in the project settings.',
  },
} as const satisfies Record<string, ErrorEntry>;
