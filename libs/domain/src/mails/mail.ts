/** The email purposes. Each purpose has its own limits, and emails to unverified addresses are counted separately. */
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
 * The limits that can prevent an email from being sent: hourly limits for each recipient and for each project, both
 * counted separately for each purpose, and a minute between two emails of the same kind to one address.
 */
export const mailLimitReasons = ['recipient_limit', 'project_limit', 'too_soon'] as const;
export type MailLimitReason = (typeof mailLimitReasons)[number];

/**
 * The reasons why an email was dropped or failed. `customer_deleted`: the customer was deleted before it was sent;
 * `rejected`: the mail server rejected it permanently; `expired`: its link expired before the mail server accepted it.
 */
export const mailReasons = [...mailLimitReasons, 'customer_deleted', 'rejected', 'expired'] as const;
export type MailReason = (typeof mailReasons)[number];

/** The email states. A captured email is `sent`. */
export const mailStates = ['queued', 'sent', 'failed', 'dropped'] as const;
export type MailState = (typeof mailStates)[number];

/** The audit log actions for emails. */
export const mailActions = ['mail.tested'] as const;
