/**
 * One email's plain text content. It can contain variables such as `{{project_name}}`, but no conditions, markup or
 * anything else that is evaluated.
 */
export interface MailText {
  subject: string;
  heading: string;
  /** The body. Email clients show the first paragraph next to the subject. */
  paragraphs: string[];
  /** The label of the button that opens the link; null for an email without a link. */
  button: string | null;
  /** The text before the link below the button; null for an email without a link. */
  linkLabel: string | null;
  /** Small print: how long the link is valid, and what to do if the recipient did not request the email. */
  closing: string[];
}

/** The variables that emails can contain. Each kind of email supports some of them. */
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

/** The variable values. They are inserted without escaping. */
export type MailValues = Readonly<Record<MailVariable, string>>;

const PLACEHOLDER = /\{\{ *([a-z_]+) *\}\}/g;

/** Matches a string that consists of one valid placeholder. */
const WHOLE_PLACEHOLDER = new RegExp(`^${PLACEHOLDER.source}$`);

/** Returns the placeholders in a string that are malformed or whose variable is not in `variables`. */
export function unknownPlaceholders(text: string, variables: readonly MailVariable[]): string[] {
  const placeholders = text.match(/\{\{.*?(?:\}\}|$)/gs) ?? [];
  return placeholders.filter((placeholder) => {
    const name = WHOLE_PLACEHOLDER.exec(placeholder)?.[1];
    return !(variables as readonly (string | undefined)[]).includes(name);
  });
}

/**
 * Replaces the variables in a string with their values. Values are not searched for placeholders, so a project name,
 * for example, cannot insert another value.
 */
const fill = (text: string, values: MailValues): string =>
  text.replace(PLACEHOLDER, (placeholder, name: string) =>
    (mailVariables as readonly string[]).includes(name) ? values[name as MailVariable] : placeholder,
  );

/** Replaces the variables in an email with their values. */
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
