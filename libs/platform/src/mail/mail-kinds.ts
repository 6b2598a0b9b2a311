import {
  oneTimeTokenKinds,
  oneTimeTokenTtl,
  operatorLinkTtl,
  type OneTimeTokenKind,
} from '@gatehouse/domain';

/** Mails that tell something and ask for nothing: they hold no link of ours. */
const notices = ['password-changed', 'already-registered', 'test'] as const;

export type Notice = (typeof notices)[number];
/** Mails whose link holds a token: of customers, and the one to somebody who shall be an operator. */
type LinkMailKind = OneTimeTokenKind | 'operator-invitation';
export type MailKind = LinkMailKind | Notice;

/** Every kind of mail there is. */
export const mailKinds: readonly MailKind[] = [...oneTimeTokenKinds, 'operator-invitation', ...notices];

/** The hosted page behind the link of each kind. */
const pagePaths: Record<LinkMailKind, string> = {
  'verify-email': '/verify-email',
  'reset-password': '/reset-password',
  'accept-invite': '/accept-invite',
  'change-email-current': '/confirm-email-change',
  'change-email-new': '/confirm-email-change',
  'operator-invitation': '/console/invitation',
};

const isNotice = (kind: MailKind): kind is Notice => (notices as readonly string[]).includes(kind);

/** The path of the page behind the link; null for a notice, which has none. */
export const mailPath = (kind: MailKind): string | null => (isNotice(kind) ? null : pagePaths[kind]);

/**
 * The link with its token. The console reads it behind the `#`, which no server and no log gets to see; the other pages
 * work without a script.
 */
export const pageLink = (publicUrl: string, path: string, token: string): string =>
  `${publicUrl}${path}${path.startsWith('/console/') ? '#' : '?'}token=${encodeURIComponent(token)}`;

const NOTICE_TTL = 24 * 60 * 60;

/** Life of a mail in seconds: that of the token in its link. What comes later is worth nothing. */
export function mailTtl(kind: MailKind): number {
  if (kind === 'operator-invitation') return operatorLinkTtl.invitation;
  return isNotice(kind) ? NOTICE_TTL : oneTimeTokenTtl[kind];
}
