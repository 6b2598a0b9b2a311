import { errorCode } from '../runtime/errors.js';

/** Maximum stored response length in characters. */
const MAX_LENGTH = 500;

/** The reason why an email could not be sent. */
export interface SmtpFailure {
  /**
   * The mail server's response to the sender, the recipient or the content. Other errors may reveal the configuration,
   * so for them this is only the code, or null.
   */
  response: string | null;
  /** True if the mail server has rejected the email permanently (RFC 5321, section 4.2.1). */
  isPermanent: boolean;
}

/** Interprets an error from `Mailer.send`. */
export function smtpFailure(error: unknown): SmtpFailure {
  const { response, responseCode, command } = error as Partial<
    Record<'response' | 'responseCode' | 'command', unknown>
  >;
  const isAboutMail = command === 'MAIL FROM' || command === 'RCPT TO' || command === 'DATA';
  if (!isAboutMail || typeof response !== 'string') {
    const code = errorCode(error);
    return { response: code.startsWith('E') ? code : null, isPermanent: false };
  }
  // A rejected sender is a configuration error. The email is sent once the error is fixed.
  const isPermanent = command !== 'MAIL FROM' && typeof responseCode === 'number' && responseCode >= 500;
  return { response: toPlainText(response).slice(0, MAX_LENGTH), isPermanent };
}

/** Replaces control characters and line breaks in a response with spaces. */
// oxlint-disable-next-line no-control-regex -- the pattern matches control characters
const toPlainText = (text: string): string => text.replaceAll(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
