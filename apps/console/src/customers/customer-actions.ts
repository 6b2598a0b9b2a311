import { api, data, type Schemas } from '../http/client';

export type Customer = Schemas['OperatorCustomerResponse'];

/** What one button does to a customer. */
export interface CustomerAction {
  path: `/operator/v1/customers/{customerId}/${'disable' | 'enable' | 'unlock' | 'reset-password' | 'resend-verification' | 'resend-invitation'}`;
  title: string;
  /** What will happen. */
  text: string;
  confirm: string;
  done: string;
  /** Whether a mail goes out. */
  mails?: boolean;
  danger?: boolean;
}

export const disable: CustomerAction = {
  path: '/operator/v1/customers/{customerId}/disable',
  title: 'Disable this customer?',
  text: 'The customer is signed out immediately on all devices and cannot sign in until you enable the customer again.',
  confirm: 'Disable',
  done: 'Customer disabled',
  danger: true,
};

export const enable: CustomerAction = {
  path: '/operator/v1/customers/{customerId}/enable',
  title: 'Enable this customer?',
  text: 'The customer can sign in again with the same password. You can disable the customer again at any time.',
  confirm: 'Enable',
  done: 'Customer enabled',
};

export const unlock: CustomerAction = {
  path: '/operator/v1/customers/{customerId}/unlock',
  title: 'Unlock this customer?',
  text: 'Resets the count of failed sign-ins, so that the customer can try again immediately. This cannot be undone.',
  confirm: 'Unlock customer',
  done: 'Customer unlocked',
};

export const resetPassword: CustomerAction = {
  path: '/operator/v1/customers/{customerId}/reset-password',
  title: 'Send a password reset email?',
  text: 'The customer receives an email with a link to choose a new password. The current password stays valid until then. A sent email cannot be recalled.',
  confirm: 'Send email',
  done: 'Password reset email queued',
  mails: true,
};

export const resendVerification: CustomerAction = {
  path: '/operator/v1/customers/{customerId}/resend-verification',
  title: 'Resend the verification email?',
  text: 'The customer receives an email with a new link to verify the email address. Older links stop working. This cannot be undone.',
  confirm: 'Resend email',
  done: 'Verification email queued',
  mails: true,
};

export const sendInvitation: CustomerAction = {
  path: '/operator/v1/customers/{customerId}/resend-invitation',
  title: 'Send an invitation email?',
  text: 'The customer has no password yet and receives an email with a link to choose one. Older links stop working. This cannot be undone.',
  confirm: 'Send email',
  done: 'Invitation email queued',
  mails: true,
};

/** Does it. @throws Problem */
export const act = (action: CustomerAction, customer: Customer): Promise<unknown> =>
  data<unknown>(api.POST(action.path, { params: { path: { customerId: customer.id } } }));
