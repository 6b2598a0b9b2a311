import type { Cli } from '../../cli.js';
import { isPrivateHost } from '../../private-host.js';
import { failed, ok, warning, type CheckResult } from './check-result.js';
import { trimSlash } from './check-url.js';
import { requestPublic } from './public-request.js';

/** The command for checks that have to run on the server. */
export const ADMIN_COMMAND =
  "gatehouse-admin doctor in an API container, or npm run gatehouse -- doctor in the server's repository";

/**
 * Checks the status that `/readyz` reports for the API and the services it depends on.
 * @returns the result, and whether the API serves requests
 */
export async function checkReadiness(
  cli: Cli,
  url: URL,
): Promise<{ result: CheckResult; isServing: boolean }> {
  const { body, status } = await requestPublic(cli, `${trimSlash(url)}/readyz`);
  return { result: describeReadiness(body?.['status'], status), isServing: status === 200 };
}

function describeReadiness(readiness: unknown, status: number): CheckResult {
  const check = 'readiness';
  switch (readiness) {
    case 'ready':
      return ok(check, 'PostgreSQL, Redis if configured, and a webhook-worker are available');
    case 'degraded':
      return failed(
        check,
        'PostgreSQL or Redis is unavailable, or no webhook-worker is running: requests fail, or webhooks and emails are late',
        `To find the cause, run ${ADMIN_COMMAND}.`,
      );
    case 'unavailable':
      return failed(
        check,
        'The API process cannot reach PostgreSQL, waits for migrations, or is starting or stopping',
        `To find the cause, run ${ADMIN_COMMAND}.`,
      );
    default:
      return failed(
        check,
        `/readyz responds with ${status}`,
        'Configure the proxy to forward /readyz to the API.',
      );
  }
}

/** Compares the access token issuer, which is `PUBLIC_URL`, with this command's URL. */
export async function checkIssuer(cli: Cli, url: URL): Promise<CheckResult> {
  const check = 'issuer';
  const { body, status } = await requestPublic(cli, `${trimSlash(url)}/.well-known/openid-configuration`);
  const issuer = body?.['issuer'];
  if (typeof issuer !== 'string' || !URL.canParse(issuer))
    return failed(
      check,
      `/.well-known/openid-configuration responds with ${status}`,
      'Configure the proxy to forward /.well-known to the API.',
    );
  const { protocol, hostname } = new URL(issuer);
  if (protocol === 'http:' && !isPrivateHost(hostname))
    return failed(
      check,
      `PUBLIC_URL is ${issuer}: links in emails and access tokens contain an unencrypted URL`,
      'Set PUBLIC_URL to the https URL that customers see, and restart all processes.',
    );
  if (issuer === trimSlash(url)) return ok(check, 'PUBLIC_URL is the same URL');
  return warning(
    check,
    `PUBLIC_URL is ${issuer}: access tokens name this issuer, and links in emails lead there`,
    'Correct PUBLIC_URL or GATEHOUSE_URL. If servers use an internal URL, pass the issuer option to createServer().',
  );
}
