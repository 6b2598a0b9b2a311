import type { ErrorEntry } from './error-entry.js';

/** The error codes for sign-ins and sessions. */
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
    cause:
      "The code is incorrect, expired or already used, or it was invalidated by too many guesses, by a newer code, or by a change that ended the customer's sessions.",
    remedy:
      'Enter the code from the newest email, the current code from the authenticator app, or an unused recovery code. If the code came from a redirect, start the sign-in again.',
  },
  challenge_expired: {
    status: 400,
    title: 'The challenge has expired',
    cause:
      'The challenge token is unknown or older than ten minutes, or its challenge was already completed or received too many incorrect codes.',
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
    cause:
      'The access token is missing, malformed, expired or from another issuer, or its session has ended.',
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
    remedy: 'Open the link in the verification email, or request a new one.',
  },
  reauthentication_required: {
    status: 403,
    refreshStatus: 401,
    title: 'Reauthentication is required',
    cause:
      'The action requires that the customer or operator has authenticated recently in this session: a customer within the last ten minutes, with a second factor if the customer has one; an operator within the last five minutes, with a code, a passkey or single sign-on. A token refresh returns 401 if the customer must first sign in again.',
    remedy:
      'Reauthenticate with one of the methods in `methods`: customers at POST /api/v1/me/reauthenticate, operators at POST /operator/v1/session/reauthenticate. Then repeat the request. After a 401, sign in again.',
  },
  too_many_passkeys: {
    status: 409,
    title: 'The customer has too many passkeys',
    cause: 'The customer has 20 passkeys.',
    remedy: 'Remove one first.',
  },
  last_sign_in_method: {
    status: 409,
    title: 'This is the last sign-in method',
    cause:
      'The customer could not sign in without this passkey or identity. If a provider is required, only identities with this provider count.',
    remedy: 'Set a password, or add another passkey or identity first.',
  },
  method_not_enabled: {
    status: 403,
    title: 'The method is not enabled',
    cause: 'The project settings do not allow this sign-in method or second factor.',
    remedy: 'Use a method that GET /api/v1/auth/options lists, or enable this one in the project settings.',
  },
  provider_not_found: {
    status: 404,
    title: 'The identity provider does not exist',
    cause: 'The project has no enabled identity provider with this slug.',
    remedy: 'Use the slug of a provider that GET /api/v1/auth/options lists.',
  },
  provider_unavailable: {
    status: 503,
    title: 'The identity provider is unavailable',
    cause:
      'The identity provider cannot be reached, does not respond in time or sends an unexpected response, or too many sign-ins are already waiting for it.',
    remedy: 'Wait for the number of seconds in Retry-After, then try again, or sign in with another method.',
  },
  sign_in_failed: {
    status: 403,
    title: 'The sign-in at the identity provider has failed',
    cause:
      'The response or the id token of the identity provider is not valid, was already used, or belongs to an account that may not sign in.',
    remedy:
      'Start the sign-in again. The API log and the connection test of the provider contain the reason.',
  },
  account_exists: {
    status: 409,
    title: 'An account with this email address exists',
    cause:
      'A customer already has the email address of this identity, but the identity provider is not trusted to verify it.',
    remedy: 'Sign in with another method, then link the identity in the account settings.',
  },
  email_required: {
    status: 422,
    title: 'The identity has no email address',
    cause: 'The identity provider did not return a usable email address for a new customer.',
    remedy:
      'Allow the identity provider to share the email address with the application, or sign in with another method.',
  },
  identity_already_linked: {
    status: 409,
    title: 'The identity is linked to another account',
    cause: 'Another customer already signs in with this identity provider account.',
    remedy: 'Sign in as the other customer and remove the identity there, or use another account.',
  },
  sso_required: {
    status: 403,
    title: 'The identity provider of the organization is required',
    cause:
      'Customers with an email address in this domain must sign in with the identity provider of their organization.',
    remedy: 'Sign in with the identity provider in `provider`.',
  },
  sign_up_not_allowed: {
    status: 403,
    title: 'Sign-up is not allowed',
    cause:
      'The project does not let customers create accounts: signIn.allowSignUp of the project or allowSignUp of the identity provider is false.',
    remedy: 'Create the customer with a secret key, or allow sign-up in the project settings.',
  },
} as const satisfies Record<string, ErrorEntry>;
