import {
  customerNotices,
  EMAIL_CODE_TTL,
  mailVariables,
  oneTimeTokenKinds,
  oneTimeTokenTtl,
  operatorLinkTtl,
  type MailVariable,
  type OneTimeTokenKind,
} from '@gatehouse/domain';

/** Notices, which contain no link to Gatehouse. */
const notices = [...customerNotices, 'operator-notice', 'test'] as const;

type Notice = (typeof notices)[number];
/** Emails with a link that contains a token. The link is optional in an email with a code. */
type LinkMailKind = OneTimeTokenKind | 'email-code' | 'operator-invitation';
export type MailKind = LinkMailKind | 'reauthentication-code' | Notice;

export const mailKinds: readonly MailKind[] = [
  ...oneTimeTokenKinds,
  'email-code',
  'reauthentication-code',
  'operator-invitation',
  ...notices,
];

/** Emails to operators, which belong to no project. */
const operatorMailKinds = ['operator-invitation', 'operator-notice', 'test'] as const;

type OperatorMailKind = (typeof operatorMailKinds)[number];
export type CustomerMailKind = Exclude<MailKind, OperatorMailKind>;

/** The kinds of emails to customers. Projects can customize their content. */
export const customerMailKinds = mailKinds.filter(
  (kind): kind is CustomerMailKind => !(operatorMailKinds as readonly string[]).includes(kind),
);

/** The page path that each kind's link opens. */
const pagePaths: Record<LinkMailKind, string> = {
  'verify-email': '/verify-email',
  'reset-password': '/reset-password',
  'accept-invite': '/accept-invite',
  'change-email-current': '/confirm-email-change',
  'change-email-new': '/confirm-email-change',
  'email-code': '/email-sign-in',
  'operator-invitation': '/console/invitation',
};

const hasCode = (kind: MailKind): kind is 'email-code' | 'reauthentication-code' =>
  kind === 'email-code' || kind === 'reauthentication-code';

const hasLink = (kind: MailKind): kind is LinkMailKind => Object.hasOwn(pagePaths, kind);

/** Returns the path of the page that the link opens, or null for an email without a link. */
export const mailPath = (kind: MailKind): string | null => (hasLink(kind) ? pagePaths[kind] : null);

/** Returns the variables that an email of this kind can contain. */
export const mailVariablesOf = (kind: MailKind): MailVariable[] =>
  mailVariables.filter((variable) => {
    if (variable === 'new_email') return kind === 'change-email-current' || kind === 'change-email-new';
    if (variable === 'code' || variable === 'code_validity') return hasCode(kind);
    return variable !== 'link_validity' || hasLink(kind);
  });

/**
 * Returns a link with a token. For a console page, the token is in the fragment, which is not sent to servers and does
 * not appear in logs. The other pages work without scripts, so they require the token in the query.
 */
export const pageLink = (publicUrl: string, path: string, token: string): string =>
  `${publicUrl}${path}${path.startsWith('/console/') ? '#' : '?'}token=${encodeURIComponent(token)}`;

const NOTICE_TTL = 24 * 60 * 60;

/**
 * Returns the time in seconds after which an email is no longer useful: the code or token validity, or 24 hours for a
 * notice.
 */
export function mailTtl(kind: MailKind): number {
  if (kind === 'operator-invitation') return operatorLinkTtl.invitation;
  if (hasCode(kind)) return EMAIL_CODE_TTL;
  return hasLink(kind) ? oneTimeTokenTtl[kind] : NOTICE_TTL;
}
