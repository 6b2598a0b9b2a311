import type { Schemas } from '../http/client';

/** The labels for sign-in failure reasons. */
export const signInFailures: Record<Schemas['FailedSignInsByReason']['reason'], string> = {
  wrong_password: 'Wrong password',
  no_password: 'No password set',
  wrong_code: 'Wrong email code',
  wrong_second_factor: 'Wrong second factor',
  locked: 'Customer locked',
  customer_disabled: 'Customer disabled',
  email_not_verified: 'Email not verified',
  sso_required: 'Identity provider required',
  account_exists: 'Account not linked',
  other: 'Other',
};
