import { parseValidUrl } from '@gatehouse/domain';
import { errorMessage, Mailer, type AlertMailServer, type Config } from '@gatehouse/platform';
import { failed, ok, warning, type CheckResult } from './check-result.js';
import { connectionProblem } from './connection-problem.js';

type MailServer = Pick<AlertMailServer, 'setting' | 'smtpUrl' | 'requireTls'>;

/** Connects to the mail servers for emails and for alerts, and authenticates. Sends nothing. */
export async function checkMailServers({ mail, alerts }: Config): Promise<CheckResult[]> {
  const { smtpUrl, requireTls, from } = mail;
  const checks: Promise<CheckResult>[] = [];
  const results: CheckResult[] = [];
  if (smtpUrl === null)
    results.push(
      warning(
        'mail server',
        'SMTP_URL is not set: emails are captured and not sent',
        'Set SMTP_URL and MAIL_FROM.',
      ),
    );
  else checks.push(checkConnection('mail server', { setting: 'SMTP_URL', smtpUrl, requireTls }, from));
  if (alerts.mailServer?.setting === 'ALERT_SMTP_URL')
    checks.push(checkConnection('alert server', alerts.mailServer, from));
  if (alerts.email && smtpUrl !== null && alerts.mailServer?.isSeparate === false && !alerts.webhookUrl)
    results.push(
      warning(
        'alerts',
        'Alerts use the same mail server as all other emails, so no alert can report its failure',
        'Set ALERT_WEBHOOK_URL, or ALERT_SMTP_URL to another mail server.',
      ),
    );
  return [...(await Promise.all(checks)), ...results];
}

async function checkConnection(
  check: string,
  { setting, smtpUrl, requireTls }: MailServer,
  from: Config['mail']['from'],
): Promise<CheckResult> {
  const address = parseValidUrl(smtpUrl).host;
  const mailer = new Mailer(smtpUrl, requireTls, from, setting);
  try {
    await mailer.verify();
    return ok(check, `accepts the connection at ${address}`);
  } catch (error) {
    const message = errorMessage(error);
    // `Mailer` includes the fix in this message.
    const [cause, fix] = message.includes('STARTTLS') ? message.split('; ') : [];
    if (cause && fix) return failed(check, cause, `${fix}.`);
    return connectionProblem({ check, product: 'the mail server', setting, address }, error);
  } finally {
    mailer.close();
  }
}
