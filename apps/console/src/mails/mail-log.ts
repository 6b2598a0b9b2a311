import type { Schemas } from '../http/client';
import { choiceFilter, textFilter, timeFilter } from '../lists/filters';
import { mailKinds } from './mail-kinds';

export type MailLogEntry = Schemas['MailLogResponse'];

export const mailStateFilter = choiceFilter('Status', {
  queued: 'Queued',
  sent: 'Sent',
  failed: 'Failed',
  dropped: 'Dropped',
});
export const mailKindFilter = choiceFilter('Type', mailKinds);
export const mailTimeFilter = timeFilter('Time', 'createdAfter', 'createdBefore');
// The API rejects incomplete email addresses.
export const recipientFilter = textFilter('Recipient', 'Email address of the recipient', /^[^\s@]+@[^\s@]+$/);

const reasons: Record<NonNullable<MailLogEntry['reason']>, string> = {
  recipient_limit: 'The recipient has received the hourly maximum of emails for this purpose.',
  project_limit: 'The project has sent the hourly maximum of emails for this purpose.',
  too_soon: 'The previous email of this type was requested less than a minute earlier.',
  customer_deleted: 'The customer was deleted before the email was sent.',
  rejected: 'The mail server rejected the email.',
  expired: 'The link expired before the mail server accepted the email.',
};

/** The fields in an email that explain why it was not sent. */
type MailOutcome = Pick<MailLogEntry, 'reason' | 'response'>;

/** Returns why an email was dropped or failed, or null. Reasons from later versions are returned unchanged. */
export const mailReason = ({ reason }: Pick<MailOutcome, 'reason'>): string | null =>
  reason && ((reasons as Record<string, string>)[reason] ?? reason);

/**
 * Returns the mail server's last error response. Without one, returns why the email was dropped or failed, or null if
 * the reason is unknown.
 */
export const mailProblem = (mail: MailOutcome): string | null => mail.response ?? mailReason(mail);
