import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { serve } from './child.js';
import { exchange } from './exchange.js';

/** Logins at a steady rate, without waiting for earlier responses. */
export interface LoginLoad {
  url: string;
  headers: Record<string, string>;
  emails: string[];
  password: string;
  perSecond: number;
}

export interface LoginSample {
  status: number;
  ms: number;
  /** The reason why there was no response. */
  error?: string;
}

/** Lines that are sent as fast as the api accepts them. */
export interface ImportUpload {
  url: string;
  headers: Record<string, string>;
  /** The email domain. */
  domain: string;
  count: number;
  passwordHashes: string[];
  /** Number of lines after which the client disconnects. */
  disconnectAfter?: number;
}

const agent = new Agent({ keepAlive: true });
const inFlight = new Set<Promise<void>>();
const samples: LoginSample[] = [];
let timer: NodeJS.Timeout | undefined;

function startLogins({ url, headers, emails, password, perSecond }: LoginLoad): void {
  let count = 0;
  timer = setInterval(() => {
    const body = JSON.stringify({ email: emails[(count += 1) % emails.length], password });
    const pending = exchange(agent, { method: 'POST', url, headers, body }).then(({ status, ms, error }) => {
      samples.push({ status, ms, ...(error === undefined ? {} : { error }) });
      inFlight.delete(pending);
    });
    inFlight.add(pending);
  }, 1_000 / perSecond);
}

/** Stops the logins. @returns the samples since the start */
async function stopLogins(): Promise<LoginSample[]> {
  clearInterval(timer);
  await Promise.all(inFlight);
  return samples.splice(0);
}

const LINES_PER_WRITE = 200;

/** Sends the lines. @returns the response, or null if the client disconnected */
async function send(upload: ImportUpload): Promise<{ status: number; body: unknown } | null> {
  const { url, headers, count, disconnectAfter = count } = upload;
  const sent = request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson', ...headers },
  });
  const failed = once(sent, 'error').then(([error]) => Promise.reject(error as Error));
  failed.catch(() => undefined);
  const responded = once(sent, 'response');
  for (let index = 0; index < disconnectAfter; index += LINES_PER_WRITE) {
    let lines = '';
    const end = Math.min(index + LINES_PER_WRITE, disconnectAfter);
    for (let line = index; line < end; line += 1) lines += buildLine(upload, line);
    if (!sent.write(lines)) await Promise.race([once(sent, 'drain'), failed, responded]);
  }
  if (disconnectAfter < count) {
    sent.destroy();
    return null;
  }
  sent.end();
  const [response] = await Promise.race([responded, failed]);
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { status: response.statusCode, body: JSON.parse(text) };
}

/** Returns a line as another system would export it. */
const buildLine = ({ domain, passwordHashes }: ImportUpload, index: number): string =>
  `${JSON.stringify({
    email: `customer-${index}@${domain}`,
    firstName: 'Ada',
    lastName: `Lovelace ${index}`,
    externalId: `${domain}-${index}`,
    emailVerified: index % 3 > 0,
    passwordHash: passwordHashes[index % passwordHashes.length],
    metadata: { plan: 'pro', legacyId: index },
    createdAt: '2021-03-04T05:06:07.000Z',
  })}\n`;

serve({ startLogins, stopLogins, send });
