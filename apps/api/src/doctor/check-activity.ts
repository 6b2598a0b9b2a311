import {
  OperatorsRepository,
  SystemStatusRepository,
  WorkersRepository,
  type Database,
  type SystemStatus,
} from '@gatehouse/persistence';
import { adminCommand, now, type Config } from '@gatehouse/platform';
import { failed, ok, warning, type CheckResult } from './check-result.js';

/** Maximum age of a pending email before it is reported, in ms. */
const MAX_MAIL_AGE_MS = 300_000;

/** Checks the state that the running processes have recorded in the database. */
export async function checkActivity(database: Database, config: Config): Promise<CheckResult[]> {
  const status = await new SystemStatusRepository(database).read();
  const idleMs = await new WorkersRepository(database).getMsWithoutWorker();
  const hasOperator = await new OperatorsRepository(database).hasAny();
  return [
    workerResult(idleMs),
    ...webhookResults(status),
    ...mailResults(status, config),
    ...operatorResults(hasOperator, config),
  ];
}

/** @param idleMs time since a worker last ran, in ms; null if none has ever reported */
function workerResult(idleMs: number | null): CheckResult {
  if (idleMs === 0) return ok('worker', 'a webhook-worker is running');
  const status = idleMs === null ? 'is running' : `has been running for ${Math.round(idleMs / 1_000)} s`;
  return failed(
    'worker',
    `No webhook-worker ${status}: webhooks and emails are waiting`,
    'Start the webhook-worker, and read its log if it has ended.',
  );
}

function webhookResults({ deadLetters, disabledEndpoints, failingEndpoints }: SystemStatus): CheckResult[] {
  const results: CheckResult[] = [];
  if (disabledEndpoints > 0)
    results.push(
      warning(
        'webhooks',
        `Endpoints that were disabled after three days of failed attempts: ${disabledEndpoints}`,
        'Repair their receivers, then enable and recover the endpoints: docs/operations/endpoints.md, "Enable a disabled endpoint".',
      ),
    );
  if (failingEndpoints > 0)
    results.push(
      warning(
        'webhooks',
        `Endpoints whose attempts have all failed for an hour or longer: ${failingEndpoints}`,
        'Read the error of their latest attempts in the console, and repair their receivers.',
      ),
    );
  if (deadLetters > 0)
    results.push(
      warning(
        'webhooks',
        `Dead letters: ${deadLetters}`,
        'Redeliver or discard them: docs/operations/dead-letters.md, "Handle dead letters".',
      ),
    );
  return results.length > 0 ? results : [ok('webhooks', 'no failing endpoints and no dead letters')];
}

function mailResults(
  { mailsFailed, mailsFailing, oldestMailAt }: SystemStatus,
  { mail }: Config,
): CheckResult[] {
  const results: CheckResult[] = [];
  if (mail.smtpUrl !== null && mailsFailing > 0)
    results.push(
      failed(
        'emails',
        `Emails that failed or are waiting while the mail server accepts none: ${mailsFailing}`,
        'Read the response of the mail server in the log of emails: docs/operations/mail.md, "Restore email delivery".',
      ),
    );
  if (oldestMailAt !== null && now().getTime() - oldestMailAt.getTime() > MAX_MAIL_AGE_MS)
    results.push(
      warning(
        'emails',
        `The oldest unsent email was created at ${oldestMailAt.toISOString()}`,
        'Repair the mail server, or start a webhook-worker. Its log contains the error.',
      ),
    );
  if (mailsFailed > 0)
    results.push(
      warning(
        'emails',
        `Emails that the mail server has rejected: ${mailsFailed}`,
        'Read the response of the mail server in the log of emails.',
      ),
    );
  return results.length > 0 ? results : [ok('emails', 'none is waiting, and none was rejected')];
}

function operatorResults(hasOperator: boolean, config: Config): CheckResult[] {
  if (!config.console) return [];
  if (!hasOperator)
    return [
      warning(
        'operators',
        'No operator exists, so no one can sign in to the console',
        `Run ${adminCommand('operator-link')} and open the link.`,
      ),
    ];
  if (config.firstOperator === null) return [];
  return [
    warning(
      'operators',
      'OPERATOR_PASSWORD is set, although an operator exists',
      'Remove OPERATOR_EMAIL and OPERATOR_PASSWORD.',
    ),
  ];
}
