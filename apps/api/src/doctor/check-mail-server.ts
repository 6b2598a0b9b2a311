import { errorMessage, Mailer, type Config } from '@gatehouse/platform';
import { failed, ok, warning, type CheckResult } from './check-result.js';
import { connectionProblem } from './connection-problem.js';

/** Connects to the mail server and authenticates. Sends nothing. */
export async function checkMailServer({ mail }: Config): Promise<CheckResult> {
  const { smtpUrl, requireTls, from } = mail;
  if (smtpUrl === null)
    return warning(
      'mail server',
      'SMTP_URL is not set: emails are captured and not sent',
      'Set SMTP_URL and MAIL_FROM.',
    );
  const address = new URL(smtpUrl).host;
  const mailer = new Mailer(smtpUrl, requireTls, from);
  try {
    await mailer.verify();
    return ok('mail server', `accepts the connection at ${address}`);
  } catch (error) {
    const message = errorMessage(error);
    // The message of Mailer, which contains its fix.
    const [cause, fix] = message.includes('STARTTLS') ? message.split('; ') : [];
    if (cause && fix) return failed('mail server', cause, `${fix}.`);
    const server = { product: 'the mail server', setting: 'SMTP_URL', address };
    return connectionProblem({ check: 'mail server', ...server }, error);
  } finally {
    mailer.close();
  }
}
