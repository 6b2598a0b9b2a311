import type { MailKind } from './mail-kinds.js';

/** A language of mails. Another one is a name here and a record in `mailTexts`; the types ask for the rest. */
export type MailLanguage = 'en';

/** What a mail can speak of. None of it is escaped. */
export interface MailFacts {
  /** The project, as it shows itself. */
  name: string;
  /** Whom the mail goes to. */
  email: string;
  /** `change-email-*`: the address that shall become the customer's. */
  newEmail: string;
  /** Life of the link, such as "24 hours". */
  life: string;
  /** When it happened, in UTC. */
  at: string;
}

/** The words of one mail, as plain text. */
export interface MailText {
  subject: string;
  heading: string;
  /** What it is about; mail programs show the first beside the subject. */
  paragraphs: string[];
  /** The label of the button that is the link; absent in notices. */
  button?: string;
  /** In small print: how long the link works, and what to do if it was somebody else. */
  closing: string[];
}

interface Language {
  /** Before the link as text. */
  openLink: string;
  mails: Record<MailKind, (facts: MailFacts) => MailText>;
}

const bothAddresses = 'The address changes as soon as both have confirmed it, the old one and the new one.';

/** Plain ASCII where it can be, so that mails stay readable in their source. */
const english: Language = {
  openLink: 'Or open this link:',
  mails: {
    'verify-email': ({ name, email, life }) => ({
      subject: `Confirm your e-mail address for ${name}`,
      heading: 'Confirm your e-mail address',
      paragraphs: [`Please confirm that ${email} is your e-mail address for ${name}.`],
      button: 'Confirm e-mail address',
      closing: [`The link works for ${life}. If you did not sign up for ${name}, you can ignore this mail.`],
    }),
    'reset-password': ({ name, email, life }) => ({
      subject: `Reset your password for ${name}`,
      heading: 'Choose a new password',
      paragraphs: [
        `Somebody asked for a new password for the ${name} account of ${email}. If this was you, choose one now.`,
      ],
      button: 'Choose a new password',
      closing: [
        `The link works for ${life}, and once. If you did not ask for this, you can ignore this mail: your password stays as it is.`,
      ],
    }),
    'accept-invite': ({ name, email, life }) => ({
      subject: `Your invitation to ${name}`,
      heading: `Welcome to ${name}`,
      paragraphs: [`${name} has made an account for ${email}. Choose a password, and it is yours.`],
      button: 'Choose a password',
      closing: [`The link works for ${life}. If you did not expect this, you can ignore this mail.`],
    }),
    'change-email-current': ({ name, email, newEmail, life }) => ({
      subject: `Confirm your change of e-mail address for ${name}`,
      heading: 'Confirm the change of your e-mail address',
      paragraphs: [
        `Somebody asked to change the e-mail address of your ${name} account from ${email} to ${newEmail}. If this was you, please confirm it.`,
        bothAddresses,
      ],
      button: 'Confirm the change',
      closing: [
        `The link works for ${life}. If you did not ask for this, you can ignore this mail: your address stays as it is. But do change your password: whoever asked knew it.`,
      ],
    }),
    'change-email-new': ({ name, newEmail, life }) => ({
      subject: `Confirm your new e-mail address for ${name}`,
      heading: 'Confirm your new e-mail address',
      paragraphs: [
        `Somebody asked to use ${newEmail} as the e-mail address of their ${name} account. If this was you, please confirm it.`,
        bothAddresses,
      ],
      button: 'Confirm e-mail address',
      closing: [`The link works for ${life}. If you did not ask for this, you can ignore this mail.`],
    }),
    'operator-invitation': ({ name, email, life }) => ({
      subject: `Your invitation to the console of ${name}`,
      heading: `You are invited to the console of ${name}`,
      paragraphs: [
        `An admin has invited ${email} to the operator console of ${name}. Choose a password there, and have an authenticator app at hand.`,
      ],
      button: 'Choose a password',
      closing: [
        `The link works for ${life}, and once. If you did not expect this, you can ignore this mail.`,
      ],
    }),
    'already-registered': ({ name, email }) => ({
      subject: `You already have an account for ${name}`,
      heading: 'You already have an account',
      paragraphs: [
        `Somebody tried to use ${email} for an account of ${name}, and it has one already.`,
        `If this was you, log in to ${name} instead. If you do not know your password, choose "Forgot password" there.`,
      ],
      closing: ['If this was not you, you can ignore this mail: nothing has changed.'],
    }),
    test: ({ name, email, at }) => ({
      subject: `Test mail of ${name}`,
      heading: 'Mails arrive',
      paragraphs: [`An admin of ${name} sent this mail to ${email} on ${at}, to see whether mails arrive.`],
      closing: ['There is nothing to do.'],
    }),
    'password-changed': ({ name, email, at }) => ({
      subject: `Your password for ${name} was changed`,
      heading: 'Your password was changed',
      paragraphs: [
        `The password of the ${name} account of ${email} was changed on ${at}.`,
        'If this was you, there is nothing to do.',
        `If it was not you, somebody else may be in your account. Open ${name} as you always do, choose "Forgot password" and set a new one: that also signs everybody else out. Then tell the people at ${name}.`,
      ],
      closing: [],
    }),
  },
};

export const mailTexts: Record<MailLanguage, Language> = { en: english };
