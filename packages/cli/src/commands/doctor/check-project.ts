import { GatehouseError, type Gatehouse } from '@gatehouse/server';
import type { Cli } from '../../cli.js';
import type { Project } from './check-key.js';
import { failed, ok, skipped, warning, type CheckResult } from './check-result.js';

/** Maximum number of similar problems that are listed. */
const MAX_LISTED = 5;
/** Maximum number of endpoints whose statistics are read. */
const MAX_STATISTICS = 20;
/** Age above which an unsent email is reported, in ms. */
const MAX_MAIL_AGE_MS = 300_000;

/** Runs a check. Returns `skipped` if Gatehouse rejects a request, for example because the key lacks a scope. */
export async function runCheck(check: string, run: () => Promise<CheckResult[]>): Promise<CheckResult[]> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof GatehouseError)) throw error;
    const scopes = error.problem.requiredScopes ?? [];
    const isMissing = error.code === 'insufficient_scope' && scopes.length > 0;
    return [
      skipped(
        check,
        isMissing ? `requires a key with the scope ${scopes.join(' and ')}` : error.problem.detail,
      ),
    ];
  }
}

/** Checks the page origins that production projects accept. */
export function checkOrigins(projects: Project[]): CheckResult[] {
  const production = projects.filter(({ environment }) => environment === 'production');
  const results = production.flatMap(({ name, settings }) => {
    const origins = settings?.allowedOrigins ?? [];
    if (origins.length === 0)
      return [
        warning(
          'origins',
          `The project "${name}" accepts requests from pages of any origin`,
          'Set allowedOrigins in its settings to the origins of your applications.',
        ),
      ];
    const local = origins.filter((origin) =>
      /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|$)/.test(origin),
    );
    if (local.length === 0) return [];
    return [
      warning(
        'origins',
        `The production project "${name}" accepts requests from pages of ${local.join(', ')}`,
        'Remove these from allowedOrigins, and use another project for development.',
      ),
    ];
  });
  if (results.length > 0) return limit(results);
  return [ok('origins', production.length > 0 ? 'limited to allowedOrigins' : 'no production project')];
}

/** Checks the webhook endpoints and the dead letters. */
export async function checkWebhooks({ signal }: Cli, client: Gatehouse): Promise<CheckResult[]> {
  const options = { signal };
  const { data: endpoints } = await client.webhookEndpoints.list({ limit: 200 }, options).page();
  const results = endpoints
    .filter(({ disabled_reason: reason }) => reason === 'failing')
    .map(({ id, name }) =>
      failed(
        'webhooks',
        `The endpoint "${name}" (${id}) was disabled after three days of failed attempts`,
        'Repair its receiver, enable the endpoint, and recover its events: see docs/operations/endpoints.md.',
      ),
    );
  const enabled = endpoints.filter(({ status }) => status === 'enabled').slice(0, MAX_STATISTICS);
  for (const { id, name } of enabled) {
    const { failing_since: since } = await client.webhookEndpoints.getStats(id, {}, options);
    if (since === null) continue;
    results.push(
      warning(
        'webhooks',
        `All attempts of the endpoint "${name}" (${id}) have failed since ${since}`,
        'Read the errors with gatehouse deliveries list, and repair the receiver.',
      ),
    );
  }
  const letters = await client.deadLetters.list({ limit: 200 }, options).page();
  if (letters.data.length > 0)
    results.push(
      warning(
        'webhooks',
        `Dead letters: ${letters.data.length}${letters.hasMore ? ' or more' : ''}`,
        'Repair the receivers, then redeliver the events: gatehouse deliveries redeliver --dead-letters.',
      ),
    );
  return results.length > 0 ? limit(results) : [ok('webhooks', describeEndpoints(endpoints.length))];
}

const describeEndpoints = (count: number): string =>
  count === 0 ? 'no endpoints' : `no failing endpoints and no dead letters (endpoints: ${count})`;

/** Checks the newest emails. */
export async function checkEmails({ signal }: Cli, client: Gatehouse): Promise<CheckResult[]> {
  const { data: mails } = await client.mails.list({ limit: 200 }, { signal }).page();
  const results: CheckResult[] = [];
  const waiting = mails.filter(
    ({ state, createdAt }) => state === 'queued' && Date.now() - Date.parse(createdAt) > MAX_MAIL_AGE_MS,
  );
  if (waiting.length > 0) {
    const response = waiting.find((mail) => mail.response !== null)?.response;
    results.push(
      failed(
        'emails',
        `Emails that have waited for more than five minutes: ${waiting.length}${response ? ` (${response})` : ''}`,
        'Check SMTP_URL, the mail server and the webhook-worker with gatehouse-admin doctor.',
      ),
    );
  }
  const rejected = mails.filter(({ state, reason }) => state === 'failed' && reason === 'rejected');
  if (rejected.length > 0)
    results.push(
      warning(
        'emails',
        `Of the last ${mails.length} emails, the mail server rejected ${rejected.length}: ${rejected[0]!.response ?? 'no reason'}`,
        'Correct the addresses, or MAIL_FROM and its DNS records (SPF, DKIM).',
      ),
    );
  if (mails[0]?.captured)
    results.push(
      warning('emails', 'Emails are captured and not sent', 'Set SMTP_URL and MAIL_FROM on the server.'),
    );
  return results.length > 0
    ? results
    : [ok('emails', mails.length > 0 ? 'the latest emails were sent' : 'none yet')];
}

/** Returns the first results, and a warning with the number of further ones if there are any. */
function limit(results: CheckResult[]): CheckResult[] {
  const more = results.length - MAX_LISTED;
  if (more <= 0) return results;
  const { check } = results[0]!;
  return [
    ...results.slice(0, MAX_LISTED),
    warning(check, `More problems of this kind: ${more}`, 'See the console.'),
  ];
}
