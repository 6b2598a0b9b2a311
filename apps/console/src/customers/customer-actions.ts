import { api, unwrap, type Schemas } from '../http/client';

export type Customer = Schemas['OperatorCustomerResponse'];

/** An action on a customer, with its dialog texts. */
export interface CustomerAction {
  path: `/operator/v1/customers/{customerId}/${'disable' | 'enable' | 'unlock' | 'reset-password' | 'resend-verification' | 'resend-invitation'}`;
  title: string;
  /** Description of the effects. */
  text: string;
  confirmLabel: string;
  successMessage: string;
  /** True if the action sends an email. */
  sendsMail?: boolean;
  danger?: boolean;
}

export const disableAction: CustomerAction = {
  path: '/operator/v1/customers/{customerId}/disable',
  title: 'Disable this customer?',
  text: 'The customer will be signed out immediately on all devices, and cannot sign in until you enable the customer again.',
  confirmLabel: 'Disable',
  successMessage: 'Customer disabled',
  danger: true,
};

export const enableAction: CustomerAction = {
  path: '/operator/v1/customers/{customerId}/enable',
  title: 'Enable this customer?',
  text: 'The customer can sign in again with the same password. You can disable the customer again at any time.',
  confirmLabel: 'Enable',
  successMessage: 'Customer enabled',
};

export const unlockAction: CustomerAction = {
  path: '/operator/v1/customers/{customerId}/unlock',
  title: 'Unlock this customer?',
  text: 'This resets the count of failed sign-ins, so that the customer can try again immediately. A password that was blocked after 100 failures will work again. This cannot be undone.',
  confirmLabel: 'Unlock customer',
  successMessage: 'Customer unlocked',
};

export const resetPasswordAction: CustomerAction = {
  path: '/operator/v1/customers/{customerId}/reset-password',
  title: 'Send a password reset email?',
  text: 'The customer receives an email with a link to choose a new password. The current password stays valid until then. A sent email cannot be recalled.',
  confirmLabel: 'Send email',
  successMessage: 'Password reset email queued',
  sendsMail: true,
};

export const resendVerificationAction: CustomerAction = {
  path: '/operator/v1/customers/{customerId}/resend-verification',
  title: 'Resend the verification email?',
  text: 'The customer receives an email with a new link to verify the email address. Older links stop working. This cannot be undone.',
  confirmLabel: 'Resend email',
  successMessage: 'Verification email queued',
  sendsMail: true,
};

export const sendInvitationAction: CustomerAction = {
  path: '/operator/v1/customers/{customerId}/resend-invitation',
  title: 'Send an invitation email?',
  text: 'The customer has no password yet and receives an email with a link to choose one. Older links stop working. This cannot be undone.',
  confirmLabel: 'Send email',
  successMessage: 'Invitation email queued',
  sendsMail: true,
};

/**
 * Performs the action.
 * @throws Problem
 */
export const performCustomerAction = (action: CustomerAction, customer: Customer): Promise<unknown> =>
  unwrap<unknown>(api.POST(action.path, { params: { path: { customerId: customer.id } } }));
