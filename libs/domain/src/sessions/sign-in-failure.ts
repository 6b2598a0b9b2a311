/**
 * The reasons why a sign-in failed, as in `login.failed`. Receivers depend on them, so reasons can be added but never
 * removed.
 */
export const signInFailureReasons = [
  'wrong_password',
  'no_password',
  'wrong_code',
  'wrong_second_factor',
  'locked',
  'customer_disabled',
  'email_not_verified',
  'sso_required',
  'account_exists',
] as const;

export type SignInFailureReason = (typeof signInFailureReasons)[number];
