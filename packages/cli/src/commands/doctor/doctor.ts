import type { Command } from 'commander';
import type { Cli } from '../../cli.js';
import { CliError, ExitCode } from '../../cli-error.js';
import { checkUrl as parseUrl } from '../../settings.js';
import { checkClock } from './check-clock.js';
import { checkKey } from './check-key.js';
import { checkEmails, checkOrigins, checkWebhooks, runCheck } from './check-project.js';
import { failed, skipped, type CheckResult } from './check-result.js';
import { ADMIN_COMMAND, checkIssuer, checkReadiness } from './check-server.js';
import { checkTls } from './check-tls.js';
import { checkUrl } from './check-url.js';
import { printReport } from './report.js';

const DESCRIPTION =
  'Check the URL, the clock, the key, webhooks and emails, and print a fix for each problem.';

/** Adds `gatehouse doctor`. */
export function addDoctorCommand(program: Command, cli: Cli): void {
  program
    .command('doctor')
    .summary('check the connection, the key, webhooks and emails')
    .description(DESCRIPTION)
    .action(async () => {
      const results = await runChecks(cli);
      await printReport(cli, results);
      if (results.some(({ status }) => status === 'error')) cli.exitCode = ExitCode.failure;
    });
}

async function runChecks(cli: Cli): Promise<CheckResult[]> {
  const settings = checkSettings(cli);
  const results = settings.result ? [settings.result] : [];
  if (settings.url === null) return results;
  const url = new URL(settings.url);
  const [tls, { result, response }] = await Promise.all([checkTls(cli, url), checkUrl(cli, url)]);
  results.push(result, tls);
  if (response === null) return results;
  const readiness = await checkReadiness(cli, url);
  results.push(checkClock(response), readiness.result);
  if (readiness.isServing) results.push(await checkIssuer(cli, url));
  // The key must not be sent unencrypted.
  const isKeySafe = settings.result === null && tls.status !== 'error';
  if (readiness.isServing && isKeySafe) results.push(...(await checkResources(cli)));
  return [
    ...results,
    skipped('server', `Settings, PostgreSQL, Redis and the mail server are checked by ${ADMIN_COMMAND}`),
  ];
}

/** Checks the command's settings. @returns the result, and the URL even if the key is missing or invalid */
function checkSettings(cli: Cli): { result: CheckResult | null; url: string | null } {
  try {
    return { result: null, url: cli.settings().url };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const result = failed('settings', error.message, error.fix ?? 'Correct the settings.');
    return { result, url: findUrl(cli) };
  }
}

/** Returns the URL from the flag or the environment, or null if it is missing or invalid. */
function findUrl({ flags, env }: Cli): string | null {
  try {
    return parseUrl(flags.url ?? env['GATEHOUSE_URL'] ?? '');
  } catch {
    return null;
  }
}

/** Checks the key, and the resources that it can read. */
async function checkResources(cli: Cli): Promise<CheckResult[]> {
  const client = cli.connect();
  const { result, projects } = await checkKey(cli, client);
  if (result.status === 'error' || result.status === 'skipped') return [result];
  return [
    result,
    ...(projects
      ? checkOrigins(projects)
      : [skipped('origins', 'requires a key with the scope project:read')]),
    ...(await runCheck('webhooks', () => checkWebhooks(cli, client))),
    ...(await runCheck('emails', () => checkEmails(cli, client))),
  ];
}
