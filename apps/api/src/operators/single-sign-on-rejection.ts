/** Messages for rejected sign-ins, by reason. None of them contains data from the provider. */
export const rejectionMessages = {
  expired: 'This sign-in has expired, was already used or began in another browser. Sign in again.',
  access_denied: 'The sign-in was canceled at the identity provider.',
  not_reauthenticated:
    'The identity provider did not verify your identity again. Ask an admin to allow max_age=0 for Gatehouse.',
  other_operator: 'You signed in at the identity provider as another person.',
  no_role: 'Your account at the identity provider has no role in Gatehouse. Contact an admin.',
  no_organization:
    'Your account at the identity provider has no organization in Gatehouse. Contact an admin.',
  email_required: 'The identity provider did not share your email address. Contact an admin.',
  account_exists:
    'An operator with your email address exists and cannot be linked to your account at the identity provider. Contact an admin.',
  operator_disabled: 'Your account is disabled. Contact an admin to enable it.',
  last_admin:
    'You are the last admin with a password, and your account at the identity provider does not have that role. Sign in with your password, or contact the person who manages the identity provider.',
  only_admin:
    'You are the last admin, and your account at the identity provider does not have that role. Contact the person who manages the identity provider.',
  older_version:
    'Gatehouse is being upgraded, and cannot limit your access until older versions have stopped. Try again later.',
  session_ended: 'Your session has ended. Sign in again.',
  sign_in_failed: 'The response of the identity provider could not be verified. Contact an admin.',
  provider_unavailable: 'The identity provider does not respond at the moment. Try again later.',
} as const;

export type RejectionReason = keyof typeof rejectionMessages;

/** Thrown if an operator cannot sign in with the OpenID Provider. */
export class SingleSignOnRejection extends Error {
  constructor(readonly reason: RejectionReason) {
    super(reason);
    this.name = 'SingleSignOnRejection';
  }
}
