import type { Cli } from '../../cli.js';
import { failed, ok, type CheckResult } from './check-result.js';
import { requestPublic, type PublicResponse } from './public-request.js';

const CHECK = 'url';

/** The connection problems, by error code. */
const PROBLEMS: Record<string, (url: URL) => [message: string, fix: string]> = {
  ECONNREFUSED: ({ host }) => [
    `No server accepts connections at ${host} (ECONNREFUSED)`,
    'Start Gatehouse, or correct the host and the port in GATEHOUSE_URL.',
  ],
  ENOTFOUND: ({ hostname }) => [
    `The host name ${hostname} does not exist (ENOTFOUND)`,
    'Correct the host in GATEHOUSE_URL, or its DNS record.',
  ],
  EAI_AGAIN: ({ hostname }) => [
    `The name server does not respond to a query for ${hostname} (EAI_AGAIN)`,
    'Check the network and the name servers of this machine.',
  ],
};

/** Checks that Gatehouse responds at a URL. @returns the result, and the response if Gatehouse sent it, otherwise null */
export async function checkUrl(
  cli: Cli,
  url: URL,
): Promise<{ result: CheckResult; response: PublicResponse | null }> {
  try {
    const response = await requestPublic(cli, `${trimSlash(url)}/livez`);
    const result = describeResponse(url, response);
    return { result, response: result.status === 'ok' ? response : null };
  } catch (error) {
    cli.signal.throwIfAborted();
    return { result: describeError(url, error), response: null };
  }
}

/** Returns a URL without a trailing slash. */
export const trimSlash = (url: URL): string => url.href.replace(/\/+$/, '');

function describeResponse(url: URL, { status, headers, body }: PublicResponse): CheckResult {
  const target = headers.get('location');
  if (status >= 300 && status < 400 && target !== null && URL.canParse(target, url.href))
    return failed(
      CHECK,
      `${trimSlash(url)} redirects to ${new URL(target, url).origin}`,
      'Use the URL to which it redirects: redirects are not followed, because their target would receive the secret key.',
    );
  if (status === 200 && body?.['status'] === 'ok')
    return ok(CHECK, `Gatehouse responds at ${trimSlash(url)}`);
  if (status >= 502 && status <= 504)
    return failed(
      CHECK,
      `The proxy at ${url.host} responds with ${status}: it cannot reach Gatehouse`,
      'Start the API process, or correct its address in the proxy configuration.',
    );
  return failed(
    CHECK,
    `A server responds at ${trimSlash(url)} with ${status}, but it is not Gatehouse`,
    'Set GATEHOUSE_URL to the PUBLIC_URL of Gatehouse, with its port and without the path of a route.',
  );
}

function describeError(url: URL, error: unknown): CheckResult {
  const code = findCode(error);
  const problem = PROBLEMS[code];
  if (problem) return failed(CHECK, ...problem(url));
  if (/TIMEOUT|ETIMEDOUT|UNREACH/.test(code) || (error as Error).name === 'TimeoutError')
    return failed(
      CHECK,
      `The server at ${url.host} does not respond`,
      'Correct the host and the port in GATEHOUSE_URL, and allow the connection in firewalls.',
    );
  if (/CERT|SIGNED|SSL|TLS|ISSUER|VERIFY|EPROTO/.test(code))
    return failed(CHECK, `The encrypted connection to ${url.host} fails (${code})`, 'See the tls check.');
  return failed(
    CHECK,
    `The connection to ${url.host} fails${code ? ` (${code})` : ''}`,
    'Correct GATEHOUSE_URL, or read the log of the server.',
  );
}

/** Returns the code of the innermost error that has one, because `fetch` wraps connection errors. */
function findCode(error: unknown): string {
  let code = '';
  for (let each = error; typeof each === 'object' && each !== null; each = (each as Error).cause)
    if (typeof (each as { code?: unknown }).code === 'string') code = (each as { code: string }).code;
  return code;
}
