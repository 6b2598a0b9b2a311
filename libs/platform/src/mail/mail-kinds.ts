import { oneTimeTokenKinds, oneTimeTokenTtl, type OneTimeTokenKind } from '#domain';

/** Mails that tell something and ask for nothing: they hold no link of ours. */
const notices = ['password-changed', 'already-registered'] as const;

export type Notice = (typeof notices)[number];
export type MailKind = OneTimeTokenKind | Notice;

/** Every kind of mail there is. */
export const mailKinds: readonly MailKind[] = [...oneTimeTokenKinds, ...notices];

/** The hosted page behind the link of each kind. */
const paths: Record<OneTimeTokenKind, string> = {
  'verify-email': '/verify-email',
  'reset-password': '/reset-password',
  'accept-invite': '/accept-invite',
  'change-email-current': '/confirm-email-change',
  'change-email-new': '/confirm-email-change',
};

const isNotice = (kind: MailKind): kind is Notice => (notices as readonly string[]).includes(kind);

/** The path of the page behind the link; null for a notice, which has none. */
export const mailPath = (kind: MailKind): string | null => (isNotice(kind) ? null : paths[kind]);

const NOTICE_LIFE = 24 * 60 * 60;

/** Life of a mail in seconds: that of the token in its link. What comes later is worth nothing. */
export const mailLife = (kind: MailKind): number => (isNotice(kind) ? NOTICE_LIFE : oneTimeTokenTtl[kind]);
