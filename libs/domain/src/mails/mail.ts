/**
 * The purposes of emails. The limits of one purpose are independent of those of all others, and are counted
 * separately for addresses that their customers have not verified.
 */
export const mailPurposes = [
  'signUp',
  'passwordReset',
  'emailChange',
  'invitation',
  'signIn',
  'notice',
] as const;
export type MailPurpose = (typeof mailPurposes)[number];

/**
 * The limits because of which an email is not sent: emails of one purpose to one recipient per hour, emails
 * of one purpose in a project per hour, and one email of a kind to an address per minute.
 */
export const mailLimitReasons = ['recipient_limit', 'project_limit', 'too_soon'] as const;
export type MailLimitReason = (typeof mailLimitReasons)[number];

/**
 * The reasons why an email was dropped or failed. `customer_deleted`: the customer was deleted before it was
 * sent; `rejected`: the mail server rejected it permanently; `expired`: its link expired before the mail
 * server accepted it.
 */
export const mailReasons = [...mailLimitReasons, 'customer_deleted', 'rejected', 'expired'] as const;
export type MailReason = (typeof mailReasons)[number];

/** The states of an email. A captured email is `sent`. */
export const mailStates = ['queued', 'sent', 'failed', 'dropped'] as const;
export type MailState = (typeof mailStates)[number];

/** The actions of the audit log on emails. */
export const mailActions = ['mail.tested'] as const;
