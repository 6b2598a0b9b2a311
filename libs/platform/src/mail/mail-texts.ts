import type { MailText } from '@gatehouse/domain';
import { mailPath, type CustomerMailKind, type MailKind } from './mail-kinds.js';
import { germanMailTexts } from './german-mail-texts.js';
import type { MailTranslation, BuiltInText } from './mail-translation.js';

/** The languages with built-in templates for all emails to customers. */
export const builtInLanguages = ['en', 'de'] as const;
export type BuiltInLanguage = (typeof builtInLanguages)[number];

const bothAddressesNotice = 'The change takes effect when both the old and the new address are confirmed.';

/** Plain ASCII where possible, so that an email's source remains readable. */
const englishMailTexts: MailTranslation<Exclude<MailKind, 'operator-notice'>> = {
  linkLabel: 'Or open this link:',
  mails: {
    'verify-email': {
      subject: 'Confirm your email address for {{project_name}}',
      heading: 'Confirm your email address',
      paragraphs: ['Please confirm that {{email}} is your email address for {{project_name}}.'],
      button: 'Confirm email address',
      closing: [
        'The link is valid for {{link_validity}}. If you did not sign up for {{project_name}}, you can ignore this email.',
      ],
    },
    'reset-password': {
      subject: 'Reset your password for {{project_name}}',
      heading: 'Choose a new password',
      paragraphs: [
        'We received a request to reset the password of the {{project_name}} account of {{email}}. If you made this request, choose a new password now.',
      ],
      button: 'Choose a new password',
      closing: [
        'The link is valid for {{link_validity}} and can be used once. If you did not make this request, you can ignore this email: nothing changes until the link is used.',
      ],
    },
    'accept-invite': {
      subject: 'Your invitation to {{project_name}}',
      heading: 'Welcome to {{project_name}}',
      paragraphs: [
        '{{project_name}} has created an account for {{email}}. Choose a password to start using it.',
      ],
      button: 'Choose a password',
      closing: [
        'The link is valid for {{link_validity}}. If you did not expect this invitation, you can ignore this email.',
      ],
    },
    'change-email-current': {
      subject: 'Confirm your email address change for {{project_name}}',
      heading: 'Confirm your email address change',
      paragraphs: [
        'We received a request to change the email address of your {{project_name}} account from {{email}} to {{new_email}}. If you made this request, please confirm the change.',
        bothAddressesNotice,
      ],
      button: 'Confirm the change',
      closing: [
        'The link is valid for {{link_validity}}. If you did not make this request, you can ignore this email: your address stays the same. However, change your password, because the person who made the request knows it.',
      ],
    },
    'change-email-new': {
      subject: 'Confirm your new email address for {{project_name}}',
      heading: 'Confirm your new email address',
      paragraphs: [
        'We received a request to use {{new_email}} as the email address of a {{project_name}} account. If you made this request, please confirm the address.',
        bothAddressesNotice,
      ],
      button: 'Confirm email address',
      closing: [
        'The link is valid for {{link_validity}}. If you did not make this request, you can ignore this email.',
      ],
    },
    'email-code': {
      subject: '{{code}} is your sign-in code for {{project_name}}',
      heading: 'Your sign-in code',
      paragraphs: ['Enter this code to sign in to {{project_name}} as {{email}}:', '{{code}}'],
      button: 'Sign in',
      closing: [
        'This email is valid for {{code_validity}} and for one sign-in. Do not share the code with anyone: {{project_name}} does not ask for it by phone or email.',
        'If you did not request this code, you can ignore this email.',
      ],
    },
    'reauthentication-code': {
      subject: '{{code}} is your confirmation code for {{project_name}}',
      heading: 'Confirm that it is you',
      paragraphs: [
        'A change to the {{project_name}} account of {{email}} requires confirmation. If you are making this change, enter this code:',
        '{{code}}',
      ],
      closing: [
        'The code is valid for {{code_validity}} and can be used once. Do not share it with anyone: {{project_name}} does not ask for it by phone or email.',
        'If you are not making a change, another person may be signed in to your account. Sign out your other devices.',
      ],
    },
    'operator-invitation': {
      subject: 'Your invitation to the console of {{project_name}}',
      heading: 'You are invited to the console of {{project_name}}',
      paragraphs: [
        'An admin has invited {{email}} to the operator console of {{project_name}}. Open the link to choose a password. An authenticator app is also required.',
      ],
      button: 'Choose a password',
      closing: [
        'The link is valid for {{link_validity}} and can be used once. If you did not expect this invitation, you can ignore this email.',
      ],
    },
    'already-registered': {
      subject: 'You already have an account for {{project_name}}',
      heading: 'You already have an account',
      paragraphs: [
        'We received a request to use {{email}} for a {{project_name}} account, but this address already has one.',
        'If you made this request, sign in to {{project_name}} instead. If you have forgotten your password, choose "Forgot password" there.',
      ],
      closing: ['If you did not make this request, you can ignore this email: nothing has changed.'],
    },
    test: {
      subject: 'Test email from {{project_name}}',
      heading: 'Email delivery works',
      paragraphs: [
        'An admin of {{project_name}} sent this email to {{email}} on {{time}} to test email delivery.',
      ],
      closing: ['No action is needed.'],
    },
    'password-changed': {
      subject: 'Your password for {{project_name}} was changed',
      heading: 'Your password was changed',
      paragraphs: [
        'The password of the {{project_name}} account of {{email}} was changed on {{time}}.',
        'If you changed it, no action is needed.',
        'If you did not change it, someone else may have access to your account. Open {{project_name}} as usual, choose "Forgot password" and set a new password. This also signs out all devices. Then contact {{project_name}}.',
      ],
      closing: [],
    },
    'password-closed': {
      subject: 'Set a new password for {{project_name}}',
      heading: 'Your password no longer works',
      paragraphs: [
        'Someone entered a wrong password for the {{project_name}} account of {{email}} 100 times in a row. To protect your account, your password was blocked on {{time}} and is no longer accepted. You stay signed in on your devices.',
        'To sign in again, open {{project_name}} as usual, choose "Forgot password" and set a new password.',
      ],
      closing: ['If you have questions, contact {{project_name}}.'],
    },
    'factor-added': {
      subject: 'A second factor was added to your {{project_name}} account',
      heading: 'A second factor was added',
      paragraphs: [
        'A second factor was added to the {{project_name}} account of {{email}} on {{time}}. From now on, signing in also requires it.',
        'If you added it, no action is needed. Keep your recovery codes in a safe place.',
        'If you did not add it, someone else may have access to your account. Contact {{project_name}} at once.',
      ],
      closing: [],
    },
    'factor-removed': {
      subject: 'A second factor was removed from your {{project_name}} account',
      heading: 'A second factor was removed',
      paragraphs: [
        'A second factor was removed from the {{project_name}} account of {{email}} on {{time}}.',
        'If you removed it or asked {{project_name}} to do so, no action is needed.',
        'If not, someone else may have access to your account. Change your password and contact {{project_name}} at once.',
      ],
      closing: [],
    },
    'passkey-added': {
      subject: 'A passkey was added to your {{project_name}} account',
      heading: 'A passkey was added',
      paragraphs: [
        'A passkey was added to the {{project_name}} account of {{email}} on {{time}}.',
        'If you added it, no action is needed.',
        'If you did not add it, someone else may have access to your account. Contact {{project_name}} at once.',
      ],
      closing: [],
    },
    'passkey-removed': {
      subject: 'A passkey was removed from your {{project_name}} account',
      heading: 'A passkey was removed',
      paragraphs: [
        'A passkey was removed from the {{project_name}} account of {{email}} on {{time}}.',
        'If you removed it or asked {{project_name}} to do so, no action is needed. Delete it from your device as well.',
        'If not, someone else may have access to your account. Contact {{project_name}} at once.',
      ],
      closing: [],
    },
    'identity-linked': {
      subject: 'A sign-in method was added to your {{project_name}} account',
      heading: 'A sign-in method was added',
      paragraphs: [
        'An account at an identity provider, such as Google, was linked to the {{project_name}} account of {{email}} on {{time}}. It can be used to sign in from now on.',
        'If you linked it, no action is needed.',
        'If you did not link it, someone else may have access to your account. Contact {{project_name}} at once.',
      ],
      closing: [],
    },
    'identity-unlinked': {
      subject: 'A sign-in method was removed from your {{project_name}} account',
      heading: 'A sign-in method was removed',
      paragraphs: [
        'An account at an identity provider, such as Google, was unlinked from the {{project_name}} account of {{email}} on {{time}}. It can no longer be used to sign in.',
        'If you unlinked it or asked {{project_name}} to do so, no action is needed.',
        'If not, someone else may have access to your account. Contact {{project_name}} at once.',
      ],
      closing: [],
    },
    'recovery-code-used': {
      subject: 'A recovery code of your {{project_name}} account was used',
      heading: 'A recovery code was used',
      paragraphs: [
        'A recovery code was used for the {{project_name}} account of {{email}} on {{time}}. It cannot be used again.',
        'If you used it, no action is needed. If you have lost your authenticator, remove it and add a new one.',
        'If you did not use it, someone else may have access to your account. Change your password and contact {{project_name}} at once.',
      ],
      closing: [],
    },
  },
};

const translations: Record<BuiltInLanguage, MailTranslation<CustomerMailKind>> = {
  en: englishMailTexts,
  de: germanMailTexts,
};

/**
 * Returns an email's built-in template, or null if there is none in the language. Emails to operators are available
 * only in English.
 */
export function builtInMailText(kind: MailKind, language: string): MailText | null {
  const translation = builtInLanguages.find((builtIn) => builtIn === language);
  if (!translation) return null;
  const { linkLabel, mails } = translations[translation];
  const text = (mails as Partial<Record<MailKind, BuiltInText>>)[kind];
  if (!text) return null;
  return { ...text, button: text.button ?? null, linkLabel: mailPath(kind) ? linkLabel : null };
}
