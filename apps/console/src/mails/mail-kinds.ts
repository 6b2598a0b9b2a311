import type { Schemas } from '../http/client';

/** The labels for the email kinds. */
export const mailKinds: Record<Schemas['MailboxEntry']['kind'], string> & Record<string, string> = {
  'verify-email': 'Verification',
  'reset-password': 'Password reset',
  'accept-invite': 'Invitation',
  'change-email-current': 'Email change (current address)',
  'change-email-new': 'Email change (new address)',
  'email-code': 'Sign-in code',
  'reauthentication-code': 'Confirmation code',
  'operator-invitation': 'Operator invitation',
  'operator-notice': 'Operator notice',
  'password-changed': 'Password changed',
  'password-closed': 'Password blocked',
  'already-registered': 'Already registered',
  'factor-added': 'Second factor added',
  'factor-removed': 'Second factor removed',
  'passkey-added': 'Passkey added',
  'passkey-removed': 'Passkey removed',
  'identity-linked': 'Sign-in method added',
  'identity-unlinked': 'Sign-in method removed',
  'recovery-code-used': 'Recovery code used',
  test: 'Test',
};
