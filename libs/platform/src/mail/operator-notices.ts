import type { MailText } from '@gatehouse/domain';

/** A notice's English text. The sentence excludes the time and the client IP. */
interface NoticeText {
  heading: string;
  sentence: (notice: OperatorNotice) => string;
}

const countOrganizations = (count = 0): string =>
  `${count} ${count === 1 ? 'organization' : 'organizations'}`;

/** Notices about changes to operators, usually by an admin. */
const adminActions = {
  invited: {
    heading: 'Operator invited',
    sentence: ({ actor, target, role }) => `${actor} invited ${target} to the console as ${role}`,
  },
  invited_again: {
    heading: 'Operator invited again',
    sentence: ({ actor, target }) => `${actor} created a link with which ${target} can set a new password`,
  },
  joined: {
    heading: 'New operator',
    sentence: ({ target, role }) => `${target} signed in with single sign-on for the first time, as ${role}`,
  },
  single_sign_on_linked: {
    heading: 'Single sign-on linked',
    sentence: ({ target }) =>
      `${target} signed in with single sign-on for the first time, with an existing account`,
  },
  role_changed: {
    heading: 'Operator role changed',
    sentence: ({ actor, target, previousRole, role }) =>
      `${actor} changed the role of ${target} from ${previousRole} to ${role}`,
  },
  organizations_changed: {
    heading: 'Operator access changed',
    sentence: ({ actor, target, organizationCount }) =>
      `${actor} ${organizationCount === null ? `gave ${target} access to the entire installation` : `limited ${target} to ${countOrganizations(organizationCount)}`}`,
  },
  second_factor_reset: {
    heading: 'Operator second factor reset',
    sentence: ({ actor, target }) => `${actor} reset the second factor of ${target}`,
  },
  enabled: {
    heading: 'Operator enabled',
    sentence: ({ actor, target }) => `${actor} enabled ${target}`,
  },
  disabled: {
    heading: 'Operator disabled',
    sentence: ({ actor, target }) => `${actor} disabled ${target}`,
  },
} as const satisfies Record<string, NoticeText>;

/** Notices to operators about their own account. */
const accountActions = {
  signed_in: {
    heading: 'New sign-in',
    sentence: ({ target }) => `${target} signed in to the console with a new browser or from a new address`,
  },
  recovery_code_used: {
    heading: 'Recovery code used',
    sentence: ({ target }) => `${target} used a recovery code instead of a second factor`,
  },
  second_factor_enrolled: {
    heading: 'Authenticator app set up',
    sentence: ({ target }) => `An authenticator app was set up for ${target}`,
  },
  passkey_added: {
    heading: 'Passkey added',
    sentence: ({ target }) => `A passkey was added for ${target}`,
  },
  passkey_removed: {
    heading: 'Passkey removed',
    sentence: ({ target }) => `A passkey of ${target} was removed`,
  },
  recovery_codes_renewed: {
    heading: 'Recovery codes replaced',
    sentence: ({ target }) => `The recovery codes of ${target} were replaced`,
  },
  password_changed: {
    heading: 'Password changed',
    sentence: ({ target }) => `The console password of ${target} was changed`,
  },
} as const satisfies Record<string, NoticeText>;

export type AdminAction = keyof typeof adminActions;
export type AccountAction = keyof typeof accountActions;

/** An action on an operator. The operator and the admins are notified by email. */
export interface OperatorNotice {
  action: AdminAction | AccountAction;
  /** The email address of the operator who acted. */
  actor: string;
  /** The email address of the operator whom the action concerns. */
  target: string;
  /** The actor's client IP; null if it is unknown. */
  ip: string | null;
  role?: string;
  previousRole?: string;
  /** The number of organizations to which the operator is limited; null for the entire installation. */
  organizationCount?: number | null;
}

const noticeTexts: Record<OperatorNotice['action'], NoticeText> = { ...adminActions, ...accountActions };

/** All actions about which operators are notified. */
export const operatorNoticeActions = Object.keys(noticeTexts) as OperatorNotice['action'][];

/** Returns a notice's content: the action, the operators, the time and the client IP. */
export function operatorNoticeText(name: string, at: string, notice: OperatorNotice): MailText {
  const { heading, sentence } = noticeTexts[notice.action];
  const place = notice.ip ? `the address ${notice.ip}` : 'an unknown address';
  return {
    subject: `${heading}: ${name}`,
    heading,
    paragraphs: [
      `${sentence(notice)} on ${at}, from ${place}.`,
      'If you expected this, no action is needed.',
      `If you did not expect this, open the console of ${name} as usual, change your password and revoke your other sessions. Then contact another admin, who can see all changes in the audit log.`,
    ],
    button: null,
    linkLabel: null,
    closing: [],
  };
}
