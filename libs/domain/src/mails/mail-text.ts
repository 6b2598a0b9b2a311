/**
 * The strings for one email, in plain text. They can contain variables such as `{{project_name}}`, and nothing that is
 * executed: no conditions, no markup.
 */
export interface MailText {
  subject: string;
  heading: string;
  /** The message. Email clients show the first paragraph next to the subject. */
  paragraphs: string[];
  /** The label on the button that opens the link; null for an email without a link. */
  button: string | null;
  /** The message that precedes the link below the button; null for an email without a link. */
  linkLabel: string | null;
  /** Small print: the link's validity, and what to do if the recipient did not cause the email. */
  closing: string[];
}

/** The email variables. Each email kind uses some of them. */
export const mailVariables = [
  'project_name',
  'email',
  'new_email',
  'link_validity',
  'code',
  'code_validity',
  'time',
] as const;
export type MailVariable = (typeof mailVariables)[number];

/** The variables' values. They are inserted as they are, and not escaped. */
export type MailValues = Readonly<Record<MailVariable, string>>;

const PLACEHOLDER = /\{\{ *([a-z_]+) *\}\}/g;

/** Matches a valid placeholder as a whole. */
const WHOLE_PLACEHOLDER = new RegExp(`^${PLACEHOLDER.source}$`);

/** Returns the placeholders in a string that are malformed or name a variable that is not in `variables`. */
export function unknownPlaceholders(text: string, variables: readonly MailVariable[]): string[] {
  const placeholders = text.match(/\{\{.*?(?:\}\}|$)/gs) ?? [];
  return placeholders.filter((placeholder) => {
    const name = WHOLE_PLACEHOLDER.exec(placeholder)?.[1];
    return !(variables as readonly (string | undefined)[]).includes(name);
  });
}

/**
 * Returns a string with its variables replaced by their values. A value is never searched for placeholders, so that a
 * name cannot insert another value.
 */
const fill = (text: string, values: MailValues): string =>
  text.replace(PLACEHOLDER, (placeholder, name: string) =>
    (mailVariables as readonly string[]).includes(name) ? values[name as MailVariable] : placeholder,
  );

/** Returns the strings with their variables replaced by their values. */
export function fillMailText(text: MailText, values: MailValues): MailText {
  const filled = (part: string): string => fill(part, values);
  return {
    subject: filled(text.subject),
    heading: filled(text.heading),
    paragraphs: text.paragraphs.map(filled),
    button: text.button && filled(text.button),
    linkLabel: text.linkLabel && filled(text.linkLabel),
    closing: text.closing.map(filled),
  };
}
