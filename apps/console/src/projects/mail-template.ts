import type { Schemas } from '../http/client';

export type MailTemplate = Schemas['MailTemplateResponse'];
export type MailTemplateFields = Pick<
  MailTemplate,
  'subject' | 'heading' | 'paragraphs' | 'button' | 'linkLabel' | 'closing'
>;

/** A project's template, or a template in a new language, which has no text yet. */
export type TemplateId = Pick<MailTemplate, 'kind' | 'language' | 'variables'> & Partial<MailTemplate>;

/** The labels for the kinds of emails to customers. */
export const mailTypes: Record<MailTemplate['kind'], string> = {
  'verify-email': 'Verification',
  'reset-password': 'Password reset',
  'accept-invite': 'Invitation',
  'change-email-current': 'Email change (current address)',
  'change-email-new': 'Email change (new address)',
  'email-code': 'Sign-in code',
  'reauthentication-code': 'Confirmation code',
  'password-changed': 'Password changed',
  'password-closed': 'Password blocked',
  'already-registered': 'Already registered',
  'factor-added': 'Second factor added',
  'factor-removed': 'Second factor removed',
  'passkey-added': 'Passkey added',
  'passkey-removed': 'Passkey removed',
  'identity-linked': 'Sign-in method added',
  'identity-unlinked': 'Sign-in method removed',
  'recovery-code-used': 'Recovery code used',
};

const languageNames = new Intl.DisplayNames('en', { type: 'language' });

/** Returns a language's name with its tag: "German (de)". */
export const languageName = (language: string): string => `${languageNames.of(language)} (${language})`;

/** Returns whether emails of a kind have a link, and therefore a button. */
export const hasLink = ({ variables }: Pick<MailTemplate, 'variables'>): boolean =>
  variables.includes('link_validity');
