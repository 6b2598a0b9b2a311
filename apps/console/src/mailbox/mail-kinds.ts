import type { Schemas } from '../http/client';

/** What each kind of mail is for. */
export const mailKinds: Record<Schemas['MailboxEntry']['kind'], string> & Record<string, string> = {
  'verify-email': 'Verification',
  'reset-password': 'Password reset',
  'accept-invite': 'Invitation',
  'change-email-current': 'E-mail change, old',
  'change-email-new': 'E-mail change, new',
  'operator-invitation': 'Operator invitation',
  'password-changed': 'Password changed',
  'already-registered': 'Already registered',
  test: 'Test',
};
