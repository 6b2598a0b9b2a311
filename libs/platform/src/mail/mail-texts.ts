import type { MailKind } from './mail-kinds.js';

/**
 * A language of emails. To add a language, add its name here and a record to `mailTexts`; the types then
 * require every text.
 */
export type MailLanguage = 'en';

/** The values that the texts of emails can contain. They are not escaped. */
export interface MailVariables {
  /** Display name of the project. */
  name: string;
  /** Address of the recipient. */
  email: string;
  /** For `change-email-*`: the new address of the customer. */
  newEmail: string;
  /** Validity of the link, such as "24 hours". */
  linkValidity: string;
  /** Time of the cause, in UTC. */
  at: string;
}

/** The texts of one email, in plain text. */
export interface MailText {
  subject: string;
  heading: string;
  /** The message. Email clients show the first paragraph next to the subject. */
  paragraphs: string[];
  /** Label of the button that opens the link; undefined for notices. */
  button?: string;
  /** Small print: the validity of the link, and what to do if the recipient did not cause the email. */
  closing: string[];
}

interface MailTranslation {
  /** Text that precedes the link in plain text. */
  openLinkLabel: string;
  mails: Record<MailKind, (variables: MailVariables) => MailText>;
}

const bothAddressesNotice = 'The change takes effect when both the old and the new address are confirmed.';

/** Plain ASCII where possible, so that the source of an email remains readable. */
const english: MailTranslation = {
  openLinkLabel: 'Or open this link:',
  mails: {
    'verify-email': ({ name, email, linkValidity }) => ({
      subject: `Confirm your email address for ${name}`,
      heading: 'Confirm your email address',
      paragraphs: [`Please confirm that ${email} is your email address for ${name}.`],
      button: 'Confirm email address',
      closing: [
        `The link is valid for ${linkValidity}. If you did not sign up for ${name}, you can ignore this email.`,
      ],
    }),
    'reset-password': ({ name, email, linkValidity }) => ({
      subject: `Reset your password for ${name}`,
      heading: 'Choose a new password',
      paragraphs: [
        `We received a request to reset the password of the ${name} account of ${email}. If you made this request, choose a new password now.`,
      ],
      button: 'Choose a new password',
      closing: [
        `The link is valid for ${linkValidity} and can be used once. If you did not make this request, you can ignore this email: your password stays the same.`,
      ],
    }),
    'accept-invite': ({ name, email, linkValidity }) => ({
      subject: `Your invitation to ${name}`,
      heading: `Welcome to ${name}`,
      paragraphs: [`${name} has created an account for ${email}. Choose a password to start using it.`],
      button: 'Choose a password',
      closing: [
        `The link is valid for ${linkValidity}. If you did not expect this invitation, you can ignore this email.`,
      ],
    }),
    'change-email-current': ({ name, email, newEmail, linkValidity }) => ({
      subject: `Confirm your email address change for ${name}`,
      heading: 'Confirm your email address change',
      paragraphs: [
        `We received a request to change the email address of your ${name} account from ${email} to ${newEmail}. If you made this request, please confirm the change.`,
        bothAddressesNotice,
      ],
      button: 'Confirm the change',
      closing: [
        `The link is valid for ${linkValidity}. If you did not make this request, you can ignore this email: your address stays the same. However, change your password, because the person who made the request knows it.`,
      ],
    }),
    'change-email-new': ({ name, newEmail, linkValidity }) => ({
      subject: `Confirm your new email address for ${name}`,
      heading: 'Confirm your new email address',
      paragraphs: [
        `We received a request to use ${newEmail} as the email address of a ${name} account. If you made this request, please confirm the address.`,
        bothAddressesNotice,
      ],
      button: 'Confirm email address',
      closing: [
        `The link is valid for ${linkValidity}. If you did not make this request, you can ignore this email.`,
      ],
    }),
    'operator-invitation': ({ name, email, linkValidity }) => ({
      subject: `Your invitation to the console of ${name}`,
      heading: `You are invited to the console of ${name}`,
      paragraphs: [
        `An admin has invited ${email} to the operator console of ${name}. Open the link to choose a password. An authenticator app is also required.`,
      ],
      button: 'Choose a password',
      closing: [
        `The link is valid for ${linkValidity} and can be used once. If you did not expect this invitation, you can ignore this email.`,
      ],
    }),
    'already-registered': ({ name, email }) => ({
      subject: `You already have an account for ${name}`,
      heading: 'You already have an account',
      paragraphs: [
        `We received a request to use ${email} for a ${name} account, but this address already has one.`,
        `If you made this request, sign in to ${name} instead. If you have forgotten your password, choose "Forgot password" there.`,
      ],
      closing: ['If you did not make this request, you can ignore this email: nothing has changed.'],
    }),
    test: ({ name, email, at }) => ({
      subject: `Test email from ${name}`,
      heading: 'Email delivery works',
      paragraphs: [`An admin of ${name} sent this email to ${email} on ${at} to test email delivery.`],
      closing: ['No action is needed.'],
    }),
    'password-changed': ({ name, email, at }) => ({
      subject: `Your password for ${name} was changed`,
      heading: 'Your password was changed',
      paragraphs: [
        `The password of the ${name} account of ${email} was changed on ${at}.`,
        'If you changed it, no action is needed.',
        `If you did not change it, someone else may have access to your account. Open ${name} as usual, choose "Forgot password" and set a new password. This also signs out all devices. Then contact ${name}.`,
      ],
      closing: [],
    }),
  },
};

export const mailTexts: Record<MailLanguage, MailTranslation> = { en: english };
