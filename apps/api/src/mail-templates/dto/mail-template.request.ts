import type { MailText } from '@gatehouse/domain';
import { CheckedField, TextListField } from '../../http/input/fields.js';

const HEADING_LENGTH = 200;
const PARAGRAPH_LENGTH = 1_000;
const BUTTON_LENGTH = 60;

/** Returns true if a string has at least one visible character and no line break or other control character. */
const isLine = (text: string, maxLength: number): boolean =>
  text.trim() !== '' && text.length <= maxLength && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);

const LineField = (description: string, maxLength: number): PropertyDecorator =>
  CheckedField({
    description: `${description}. Null means the built-in text`,
    optional: true,
    nullable: true,
    maxLength,
    isValid: (text) => isLine(text, maxLength),
    message: `$property must be a single line of 1 to ${maxLength} characters`,
  });

const ParagraphsField = (description: string, minItems: number): PropertyDecorator =>
  TextListField({
    description: `${description}. Null means the built-in text`,
    optional: true,
    nullable: true,
    minItems,
    maxItems: 10,
    isValid: (text) => isLine(text, PARAGRAPH_LENGTH),
    message: `$property must contain single lines of 1 to ${PARAGRAPH_LENGTH} characters`,
  });

/** A merge patch for an email template. Each string is plain text and can contain the listed variables. */
export class MailTemplateRequest implements Partial<{ [Name in keyof MailText]: MailText[Name] | null }> {
  @LineField('Subject', HEADING_LENGTH) subject?: string | null;
  @LineField('Heading', HEADING_LENGTH) heading?: string | null;
  @ParagraphsField('Paragraphs before the button', 1) paragraphs?: string[] | null;
  @LineField('Label of the button that opens the link', BUTTON_LENGTH) button?: string | null;
  @LineField('Text before the link below the button', HEADING_LENGTH) linkLabel?: string | null;
  @ParagraphsField('Small print after the link', 0) closing?: string[] | null;
}
