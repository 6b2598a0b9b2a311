import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { useEmailLink } from '../support/email-codes.js';
import { eventually } from '../support/eventually.js';
import { runInChunks } from '../support/run-in-chunks.js';
import { availableQueues, TestInstance } from '../support/test-instance.js';
import { MailServer, decodeQuotedPrintable } from '../support/mail-server.js';
import { Receiver, respondWithStatus } from '../support/receiver.js';
import { OtlpReceiver } from '../support/otlp-receiver.js';
import { Keyring } from '../support/platform.js';
import { RedisMonitor } from '../support/redis-monitor.js';
import { listEncodings, dumpTables } from '../support/dump-tables.js';
import { uniqueEmail } from '../support/unique-email.js';

// Secrets collected from one instance, and all outputs that could contain them.
const mailServer = new MailServer();
const secrets: Record<string, string> = {};
const responses: string[] = [];
let responsesBeforeErrors: string[] = [];
let instance: TestInstance;
let receiver: Receiver;
let monitor: RedisMonitor | undefined;
let otlp: OtlpReceiver;
let dumpWithActiveLinks = '';

const createPassword = (name: string): string => (secrets[name] = `phrase of ${name} ${randomUUID()}`);

/** Sends a request, records the response, and returns its body. */
const send = async (
  method: string,
  path: string,
  { body, bearer, headers = {} }: { body?: unknown; bearer?: string; headers?: Record<string, string> } = {},
): Promise<any> => {
  const authorization: Record<string, string> = bearer ? { authorization: `Bearer ${bearer}` } : {};
  const response = await instance.request(method, path, { body, headers: { ...authorization, ...headers } });
  const text = typeof response.body === 'string' ? response.body : JSON.stringify(response.body);
  responses.push(`${path.split('?')[0]}\n${JSON.stringify([...response.headers])}\n${text}`);
  return response.body;
};
const publishableKeyHeader = () => ({ 'x-publishable-key': instance.credentials.publishableKey });

/** Returns the token of the newest email to an address with this link. */
const waitForMailToken = (email: string, path: string): Promise<string> =>
  eventually(`a mail with a link to ${path}`, () => {
    const link = new RegExp(`/${path}\\?token=([\\w-]{43}[.\\d]*)`);
    const mail = mailServer.mails.findLast(
      ({ to, text }) => to.includes(email) && link.test(decodeQuotedPrintable(text)),
    );
    return mail && link.exec(decodeQuotedPrintable(mail.text))![1];
  });

/** Records a sign-in's tokens as secrets, and returns them. */
const recordTokens = (name: string, { tokens }: any): { accessToken: string; refreshToken: string } => {
  secrets[`${name}: access token`] = tokens.accessToken;
  secrets[`${name}: refresh token`] = tokens.refreshToken;
  return tokens;
};

beforeAll(async () => {
  await mailServer.start();
  receiver = await Receiver.start();
  receiver.defaultResponder = respondWithStatus(500, 'not now');
  otlp = await OtlpReceiver.start();
  instance = await TestInstance.start({
    queue: availableQueues.at(-1)!,
    env: {
      SMTP_URL: mailServer.url,
      MAIL_FROM: 'no-reply@example.com',
      LOG_LEVEL: 'trace',
      OTEL_EXPORTER_OTLP_ENDPOINT: otlp.url,
      OTEL_BSP_SCHEDULE_DELAY: '20',
      RATE_LIMITS: 'off',
    },
  });
  if (instance.env['REDIS_URL']) monitor = await RedisMonitor.start(instance.env['REDIS_URL']);
  const { secretKey, projectSecretKey, publishableKey, operator } = instance.credentials;
  Object.assign(secrets, { secretKey, projectSecretKey, publishableKey, operator: operator.password });
  await callRoutes();
  responsesBeforeErrors = [...responses];
  await causeErrors();
});
afterAll(async () => {
  monitor?.stop();
  await instance?.stop();
  await receiver?.stop();
  await otlp?.stop();
  await mailServer.stop();
});

/** Calls every route that accepts or returns a secret. */
async function callRoutes(): Promise<void> {
  const { secretKey } = instance.credentials;
  const endpointBody = { url: receiver.url, events: ['*', 'login.failed'] };
  const endpoint = await send('POST', '/v1/webhooks/endpoints', { bearer: secretKey, body: endpointBody });
  secrets['webhook secret'] = endpoint.data.secret;

  const [email, newEmail, guest] = [uniqueEmail(), uniqueEmail(), uniqueEmail()];
  const registration = { email, password: createPassword('registration'), firstName: 'Ada' };
  recordTokens(
    'register',
    await send('POST', '/api/v1/auth/register', { headers: publishableKeyHeader(), body: registration }),
  );
  const login = (password: string) =>
    send('POST', '/api/v1/auth/login', { headers: publishableKeyHeader(), body: { email, password } });
  await login(createPassword('a wrong login'));
  const first = recordTokens('login', await login(secrets['registration']!));
  const refreshToken = { refreshToken: first.refreshToken };
  const tokens = recordTokens('refresh', await send('POST', '/api/v1/auth/refresh', { body: refreshToken }));

  const verification = (secrets['verification token'] = await waitForMailToken(email, 'verify-email'));
  await send('GET', `/verify-email?token=${verification}`);
  await send('POST', '/api/v1/auth/verify-email', { body: { token: verification } });

  const change = { email: newEmail, password: secrets['registration'] };
  await send('POST', '/api/v1/me/email', { bearer: tokens.accessToken, body: change });
  secrets['change token, old address'] = await waitForMailToken(email, 'confirm-email-change');
  secrets['change token, new address'] = await waitForMailToken(newEmail, 'confirm-email-change');
  await send('POST', '/api/v1/auth/forgot-password', { headers: publishableKeyHeader(), body: { email } });
  secrets['reset token'] = await waitForMailToken(email, 'reset-password');
  const invited = { email: guest, sendInvite: true, metadata: { note: 'x' } };
  await send('POST', '/api/v1/customers', { bearer: secretKey, body: invited });
  secrets['invite token'] = await waitForMailToken(guest, 'accept-invite');
  dumpWithActiveLinks = await dumpTables(instance);

  for (const name of ['change token, old address', 'change token, new address']) {
    await send('POST', '/api/v1/auth/confirm-email-change', { body: { token: secrets[name] } });
  }
  const passwords = { currentPassword: secrets['registration'], newPassword: createPassword('change') };
  await send('POST', '/api/v1/me/password', { bearer: tokens.accessToken, body: passwords });
  await send('POST', '/api/v1/auth/forgot-password', {
    headers: publishableKeyHeader(),
    body: { email: newEmail },
  });
  const reset = (secrets['second reset token'] = await waitForMailToken(newEmail, 'reset-password'));
  await send('POST', '/api/v1/auth/reset-password', {
    body: { token: reset, password: createPassword('reset') },
  });
  await send('POST', '/api/v1/auth/reset-password', {
    body: { token: secrets['invite token'], password: createPassword('invitation') },
  });
  const redirectUrl = 'https://app.example.com/welcome';
  const legacySecret = (secrets['secret of the previous system'] =
    `whsec_${randomBytes(32).toString('base64')}`);
  const legacySignIn = { url: 'http://127.0.0.1:1/', secret: legacySecret };
  const project = { settings: { signIn: { emailCode: true }, redirectUrls: [redirectUrl], legacySignIn } };
  await send('PATCH', `/api/v1/projects/${instance.credentials.projectId}`, {
    bearer: secretKey,
    body: project,
  });
  const headers = publishableKeyHeader();
  const moving = { email: uniqueEmail(), password: createPassword('previous system') };
  await send('POST', '/api/v1/auth/login', { headers, body: moving });
  const codeVerifier = (secrets['code verifier'] = 'the verifier of the client that began'.padEnd(43, '-'));
  const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
  const { challenge } = await send('POST', '/api/v1/auth/email-code', {
    headers,
    body: { email: guest, redirectUrl, codeChallenge },
  });
  secrets['challenge of an email code'] = challenge.token;
  const guess = { token: challenge.token, code: '123456' };
  await send('POST', '/api/v1/auth/email-code/verify', { headers, body: guess });
  const link = (secrets['link token'] = await waitForMailToken(guest, 'email-sign-in'));
  const path = `/email-sign-in?token=${link}`;
  const exchange = await useEmailLink(instance, { path, redirectUrl, codeVerifier });
  secrets['code of an exchange'] = exchange.code;
  recordTokens('exchange', await send('POST', '/api/v1/auth/exchange', { headers, body: exchange }));
  const imported = (secrets['imported hash'] = `$2b$04$${'abcdefghijklmnopqrstu.'.repeat(3).slice(0, 53)}`);
  await send('POST', '/api/v1/customers', {
    bearer: secretKey,
    body: { email: uniqueEmail(), passwordHash: imported },
  });
  const reused = { refreshToken: first.refreshToken };
  await send('POST', '/api/v1/auth/refresh', { body: reused });
  await send('POST', '/api/v1/me/delete', {
    bearer: tokens.accessToken,
    body: { currentPassword: createPassword('delete') },
  });
  await eventually('deliveries', () => receiver.listByType('email.changed').length > 0);
}

/** Sends secrets in the wrong places, and causes errors while secrets are processed. */
async function causeErrors(): Promise<void> {
  const email = uniqueEmail();
  const body = { email, password: createPassword('errors') };
  const { accessToken } = recordTokens(
    'errors',
    await send('POST', '/api/v1/auth/register', { headers: publishableKeyHeader(), body }),
  );
  await runInChunks(Object.values(secrets), async (secret) => {
    const query = encodeURIComponent(secret);
    await send('GET', `/api/v1/me?access_token=${query}`, { bearer: accessToken });
    await send('GET', `/nothing/${query}`);
    await send('GET', `/api/v1/customers/${query}`, { bearer: instance.credentials.secretKey });
    await send('GET', `/verify-email?token=${query}`, { headers: { cookie: `session=${query}` } });
    await send('POST', '/api/v1/auth/login', {
      headers: publishableKeyHeader(),
      body: { email, password: secret, [secret]: secret },
    });
    await send('POST', '/api/v1/auth/verify-email', { body: `{"token":"${secret}"` });
    return [];
  });
  for (const table of ['one_time_tokens', 'sessions', 'login_attempts', 'api_keys']) {
    await instance.sql(`ALTER TABLE ${table} RENAME TO ${table}_away`);
    await send('POST', '/api/v1/auth/login', { headers: publishableKeyHeader(), body });
    await send('GET', '/api/v1/me', { bearer: accessToken });
    await send('POST', '/api/v1/auth/verify-email', { body: { token: secrets['reset token'] } });
    await send('POST', '/api/v1/auth/forgot-password', { headers: publishableKeyHeader(), body: { email } });
    await instance.sql(`ALTER TABLE ${table}_away RENAME TO ${table}`);
  }
}

/** Returns the names of the secrets that a string contains in any encoding. */
const findSecrets = (text: string, names = Object.keys(secrets)): string[] =>
  names.filter((name) => listEncodings(secrets[name]!).some((form) => text.includes(form)));
const listRootSecretForms = (): string[] => {
  const keyring = new Keyring([instance.env['GATEHOUSE_SECRET']!]);
  return [
    ...listEncodings(instance.env['GATEHOUSE_SECRET']!),
    ...listEncodings(keyring.getCurrentPepper().key),
  ];
};
const getLogs = (): string => [instance.api, ...instance.workers].map(({ output }) => output).join('\n');

it('the setup collects all secrets, and provokes internal errors', () => {
  expect(Object.keys(secrets).length).toBeGreaterThanOrEqual(25);
  for (const secret of Object.values(secrets)) expect(secret.length).toBeGreaterThanOrEqual(20);
  expect(responses.filter((response) => response.includes('internal_error')).length).toBeGreaterThan(3);
});

it('LG-01: logs, spans, events, deliveries, Redis and webhooks do not contain any secret', async () => {
  expect(instance.api.log.length).toBeGreaterThan(100);
  expect(getLogs()).not.toMatch(/token=|\$2b\$|whsec_|postgres(ql)?:\/\/|redis:\/\//);
  const rows = await dumpTables(instance, (table) => /^(events|deliveries|attempts)/.test(table));
  expect(rows).toContain('customer.created');
  expect(rows).toContain('not now');
  const commands = monitor?.commands ?? [];
  // Each instance has its own Redis database. The monitor prints the database number before each command.
  const database = monitor && new URL(instance.env['REDIS_URL']!).pathname.slice(1);
  const jobs = commands.filter((line) => line.includes(`[${database} `) && /evalsha/i.test(line));
  expect(jobs.length > 0).toBe(Boolean(monitor));
  const sent = receiver.requests.map(({ body, headers }) => body + JSON.stringify(headers)).join('\n');
  const spans = await eventually('the spans', () => {
    const text = JSON.stringify(otlp.spans);
    const names = ['GET /verify-email', 'deliver webhook', 'send email'];
    return names.every((name) => text.includes(`"${name}"`)) && text;
  });
  expect(spans).not.toMatch(/@example\.com|token=|phrase of/);
  const outputs = { logs: getLogs(), spans, rows, sent, redis: commands.join('\n') };
  for (const [output, text] of Object.entries(outputs)) {
    expect([output, findSecrets(text)]).toEqual([output, []]);
    for (const form of listRootSecretForms()) expect(text).not.toContain(form);
  }
});

it('EV-04: responses never contain a token that only emails may contain', () => {
  const mailedTokens = Object.keys(secrets).filter((name) =>
    /(verification|change|reset|invite|link) token/.test(name),
  );
  expect(mailedTokens).toHaveLength(7);
  // The hosted pages contain the token because their forms submit it.
  const others = responsesBeforeErrors.filter((response) => !response.startsWith('/verify-email'));
  expect(findSecrets(others.join('\n'), mailedTokens)).toEqual([]);
});

it('PW-06, TK-05, EV-01: the database does not contain any secret in plaintext', async () => {
  const currentDump = await dumpTables(instance);
  expect(dumpWithActiveLinks.length).toBeGreaterThan(10_000);
  for (const text of [dumpWithActiveLinks, currentDump]) {
    expect(findSecrets(text)).toEqual([]);
    for (const form of listRootSecretForms()) expect(text).not.toContain(form);
  }
  for (const { hash } of await instance.sql<{ hash: string }>(
    'SELECT password_hash AS hash FROM customers',
  )) {
    expect(hash).toMatch(/^(v1\$[0-9a-f]{8}\$2b\$04\$.{53}|i1\$[A-Za-z0-9+/]+=*)$/);
  }
  // Only the SHA-256 hash of the 256 bits in a refresh token is stored.
  const bytes = Buffer.from(secrets['errors: refresh token']!.slice('rt_'.length), 'base64url');
  const secret = bytes.subarray(20, 52);
  const hash = createHash('sha256').update(secret).digest();
  expect(await instance.sql('SELECT FROM sessions WHERE current_hash = $1', [hash])).toHaveLength(1);
  expect(currentDump).not.toContain(secret.toString('hex'));
});
