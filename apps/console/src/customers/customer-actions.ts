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
  text: 'They are signed out everywhere at once, and cannot sign in until somebody enables them again.',
  confirm: 'Disable',
  done: 'Disabled',
  danger: true,
};

export const enable: CustomerAction = {
  path: '/operator/v1/customers/{customerId}/enable',
  title: 'Enable this customer?',
  text: 'They can sign in again, with the password they had.',
  confirm: 'Enable',
  done: 'Enabled',
};

export const unlock: CustomerAction = {
  path: '/operator/v1/customers/{customerId}/unlock',
  title: 'Unlock this customer?',
  text: 'Their failed logins are forgotten, so that they can try again at once.',
  confirm: 'Unlock',
  done: 'Unlocked',
};

export const resetPassword: CustomerAction = {
  path: '/operator/v1/customers/{customerId}/reset-password',
  title: 'Send a password reset?',
  text: 'They get a mail with a link to choose a new password. The password of now stays until they do.',
  confirm: 'Send',
  done: 'The password reset is on its way',
  mails: true,
};

export const resendVerification: CustomerAction = {
  path: '/operator/v1/customers/{customerId}/resend-verification',
  title: 'Resend the verification?',
  text: 'They get a mail with a new link that verifies their address. Older links end.',
  confirm: 'Resend',
  done: 'The verification is on its way',
  mails: true,
};

export const sendInvitation: CustomerAction = {
  path: '/operator/v1/customers/{customerId}/resend-invitation',
  title: 'Send an invitation?',
  text: 'They have no password yet. They get a mail with a link to choose the first one; older links end.',
  confirm: 'Send',
  done: 'The invitation is on its way',
  mails: true,
};

/** Does it. @throws Problem */
export const act = (action: CustomerAction, customer: Customer): Promise<unknown> =>
  data<unknown>(api.POST(action.path, { params: { path: { customerId: customer.id } } }));
