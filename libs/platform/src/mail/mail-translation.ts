import type { MailText } from '@gatehouse/domain';
import type { MailKind } from './mail-kinds.js';

/** A message without the parts that only emails with a link have. */
export type BuiltInText = Omit<MailText, 'button' | 'linkLabel'> & { button?: string };

/** The email messages in one language. */
export interface MailTranslation<Kind extends MailKind> {
  /** Text that precedes the link below the button. */
  linkLabel: string;
  mails: Record<Kind, BuiltInText>;
}
