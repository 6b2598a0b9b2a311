import type { MailText } from '@gatehouse/domain';
import type { MailKind } from './mail-kinds.js';

/** A template without `linkLabel`, which is the same for all emails in a language. */
export type BuiltInText = Omit<MailText, 'button' | 'linkLabel'> & { button?: string };

/** The email templates in one language. */
export interface MailTranslation<Kind extends MailKind> {
  /** The text before the link below the button. */
  linkLabel: string;
  mails: Record<Kind, BuiltInText>;
}
