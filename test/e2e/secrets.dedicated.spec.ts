import { createHash, randomUUID } from 'node:crypto';
import { Keyring } from '@gatehouse/platform';
import { eventually } from '../support/eventually.js';
import { runInChunks } from '../support/run-in-chunks.js';
import { availableQueues, TestInstance } from '../support/test-instance.js';
import { MailServer, decodeQuotedPrintable } from '../support/mail-server.js';
import { Receiver, respondWithStatus } from '../support/receiver.js';
import { RedisMonitor } from '../support/redis-monitor.js';
import { listEncodings, dumpTables } from '../support/dump-tables.js';
import { uniqueEmail } from '../support/unique-email.js';

/** Everything that a secret could get into, and every secret, of one life of the instance. */
const mailServer = new MailServer();
const secrets: Record<string, string> = {};
const answers: string[] = [];
let answersOfWalk: string[] = [];
let instance: TestInstance;
let receiver: Receiver;
let monitor: RedisMonitor | undefined;
let whileLinksLive = '';

const password = (name: string): string => (secrets[name] = `phrase of ${name} ${randomUUID()}`);

/** Asks, and keeps what was answered. */
const ask = async (
  method: string,
  path: string,
  { body, bearer, headers = {} }: { body?: unknown; bearer?: string; headers?: Record<string, string> } = {},
): Promise<any> => {
  const authorization: Record<string, string> = bearer ? { authorization: `Bearer ${bearer}` } : {};
  const answer = await instance.request(method, path, { body, headers: { ...authorization, ...headers } });
  const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
  answers.push(`${path.split('?')[0]}\n${JSON.stringify([...answer.headers])}\n${text}`);
  return answer.body;
};
const pk = () => ({ 'x-publishable-key': instance.credentials.publishableKey });

/** The token of the newest mail to an address with this link, as it arrived. */
const mailed = (email: string, path: string): Promise<string> =>
  eventually(`a mail with a link to ${path}`, () => {
    const link = new RegExp(`/${path}\\?token=([\\w-]{43})`);
    const mail = mailServer.mails.findLast(
      ({ to, text }) => to.includes(email) && link.test(decodeQuotedPrintable(text)),
    );
    return mail && link.exec(decodeQuotedPrintable(mail.text))![1];
  });

/** Signs in, with tokens that are kept as secrets. */
const signedIn = (name: string, { tokens }: any): { accessToken: string; refreshToken: string } => {
  secrets[`${name}: access token`] = tokens.accessToken;
  secrets[`${name}: refresh token`] = tokens.refreshToken;
  return tokens;
};

beforeAll(async () => {
  await mailServer.start();
  receiver = await Receiver.start();
  receiver.defaultResponder = respondWithStatus(500, 'not now');
  instance = await TestInstance.start({
    queue: availableQueues.at(-1)!,
    env: {
      SMTP_URL: mailServer.url,
      MAIL_FROM: 'no-reply@example.com',
      LOG_LEVEL: 'trace',
      RATE_LIMITS: 'off',
    },
  });
  if (instance.env['REDIS_URL']) monitor = await RedisMonitor.start(instance.env['REDIS_URL']);
  const { secretKey, projectSecretKey, publishableKey, operator } = instance.credentials;
  Object.assign(secrets, { secretKey, projectSecretKey, publishableKey, operator: operator.password });
  await walk();
  answersOfWalk = [...answers];
  await faults();
});
afterAll(async () => {
  monitor?.stop();
  await instance?.stop();
  await receiver?.stop();
  await mailServer.stop();
});

/** A whole life, through every route that takes or gives a secret. */
async function walk(): Promise<void> {
  const { secretKey } = instance.credentials;
  const hook = { url: receiver.url, events: ['*', 'login.failed'] };
  const endpoint = await ask('POST', '/v1/webhooks/endpoints', { bearer: secretKey, body: hook });
  secrets['webhook secret'] = endpoint.data.secret;

  const [email, newEmail, guest] = [uniqueEmail(), uniqueEmail(), uniqueEmail()];
  const registration = { email, password: password('registration'), firstName: 'Ada' };
  signedIn('register', await ask('POST', '/api/v1/auth/register', { headers: pk(), body: registration }));
  const login = (word: string) =>
    ask('POST', '/api/v1/auth/login', { headers: pk(), body: { email, password: word } });
  await login(password('a wrong login'));
  const first = signedIn('login', await login(secrets['registration']!));
  const refreshToken = { refreshToken: first.refreshToken };
  const tokens = signedIn('refresh', await ask('POST', '/api/v1/auth/refresh', { body: refreshToken }));

  const verification = (secrets['verification token'] = await mailed(email, 'verify-email'));
  await ask('GET', `/verify-email?token=${verification}`);
  await ask('POST', '/api/v1/auth/verify-email', { body: { token: verification } });

  const change = { email: newEmail, password: secrets['registration'] };
  await ask('POST', '/api/v1/me/email', { bearer: tokens.accessToken, body: change });
  secrets['change token, old address'] = await mailed(email, 'confirm-email-change');
  secrets['change token, new address'] = await mailed(newEmail, 'confirm-email-change');
  await ask('POST', '/api/v1/auth/forgot-password', { headers: pk(), body: { email } });
  secrets['reset token'] = await mailed(email, 'reset-password');
  const invited = { email: guest, sendInvite: true, metadata: { note: 'x' } };
  await ask('POST', '/api/v1/customers', { bearer: secretKey, body: invited });
  secrets['invite token'] = await mailed(guest, 'accept-invite');
  whileLinksLive = await dumpTables(instance);

  for (const name of ['change token, old address', 'change token, new address']) {
    await ask('POST', '/api/v1/auth/confirm-email-change', { body: { token: secrets[name] } });
  }
  const passwords = { currentPassword: secrets['registration'], newPassword: password('change') };
  await ask('POST', '/api/v1/me/password', { bearer: tokens.accessToken, body: passwords });
  await ask('POST', '/api/v1/auth/forgot-password', { headers: pk(), body: { email: newEmail } });
  const reset = (secrets['second reset token'] = await mailed(newEmail, 'reset-password'));
  await ask('POST', '/api/v1/auth/reset-password', { body: { token: reset, password: password('reset') } });
  await ask('POST', '/api/v1/auth/reset-password', {
    body: { token: secrets['invite token'], password: password('invitation') },
  });
  const imported = (secrets['imported hash'] = `$2b$04$${'abcdefghijklmnopqrstu.'.repeat(3).slice(0, 53)}`);
  await ask('POST', '/api/v1/customers', {
    bearer: secretKey,
    body: { email: uniqueEmail(), passwordHash: imported },
  });
  const reused = { refreshToken: first.refreshToken };
  await ask('POST', '/api/v1/auth/refresh', { body: reused });
  await ask('POST', '/api/v1/me/delete', {
    bearer: tokens.accessToken,
    body: { currentPassword: password('delete') },
  });
  await eventually('deliveries', () => receiver.listByType('email.changed').length > 0);
}

/** Secrets where they do not belong, and faults in the middle of handling them. */
async function faults(): Promise<void> {
  const email = uniqueEmail();
  const body = { email, password: password('faults') };
  const { accessToken } = signedIn(
    'faults',
    await ask('POST', '/api/v1/auth/register', { headers: pk(), body }),
  );
  await runInChunks(Object.values(secrets), async (secret) => {
    const query = encodeURIComponent(secret);
    await ask('GET', `/api/v1/me?access_token=${query}`, { bearer: accessToken });
    await ask('GET', `/nothing/${query}`);
    await ask('GET', `/api/v1/customers/${query}`, { bearer: instance.credentials.secretKey });
    await ask('GET', `/verify-email?token=${query}`, { headers: { cookie: `session=${query}` } });
    await ask('POST', '/api/v1/auth/login', {
      headers: pk(),
      body: { email, password: secret, [secret]: secret },
    });
    await ask('POST', '/api/v1/auth/verify-email', { body: `{"token":"${secret}"` });
    return [];
  });
  for (const table of ['one_time_tokens', 'sessions', 'login_attempts', 'api_keys']) {
    await instance.sql(`ALTER TABLE ${table} RENAME TO ${table}_away`);
    await ask('POST', '/api/v1/auth/login', { headers: pk(), body });
    await ask('GET', '/api/v1/me', { bearer: accessToken });
    await ask('POST', '/api/v1/auth/verify-email', { body: { token: secrets['reset token'] } });
    await ask('POST', '/api/v1/auth/forgot-password', { headers: pk(), body: { email } });
    await instance.sql(`ALTER TABLE ${table}_away RENAME TO ${table}`);
  }
}

/** The names of the secrets that stand in a text in any form. */
const told = (text: string, names = Object.keys(secrets)): string[] =>
  names.filter((name) => listEncodings(secrets[name]!).some((form) => text.includes(form)));
const roots = (): string[] => {
  const keyring = new Keyring([instance.env['GATEHOUSE_SECRET']!]);
  return [
    ...listEncodings(instance.env['GATEHOUSE_SECRET']!),
    ...listEncodings(keyring.getCurrentPepper().key),
  ];
};
const logs = (): string => [instance.api, ...instance.workers].map(({ output }) => output).join('\n');

it('the walk went through all of it', () => {
  expect(Object.keys(secrets).length).toBeGreaterThanOrEqual(25);
  for (const secret of Object.values(secrets)) expect(secret.length).toBeGreaterThanOrEqual(20);
  expect(answers.filter((answer) => answer.includes('internal_error')).length).toBeGreaterThan(3);
});

it('LG-01: no log line, event, delivery or attempt, and nothing that goes to Redis or to a target, holds a password, token, key, link or the root secret', async () => {
  expect(instance.api.log.length).toBeGreaterThan(100);
  expect(logs()).not.toMatch(/token=|\$2b\$|whsec_|postgres(ql)?:\/\/|redis:\/\//);
  const rows = await dumpTables(instance, (table) => /^(events|deliveries|attempts)/.test(table));
  expect(rows).toContain('customer.created');
  expect(rows).toContain('not now');
  const commands = monitor?.commands ?? [];
  // Each instance has a Redis database of its own, and its number stands in front of a command.
  const database = monitor && new URL(instance.env['REDIS_URL']!).pathname.slice(1);
  const jobs = commands.filter((line) => line.includes(`[${database} `) && /evalsha/i.test(line));
  expect(jobs.length > 0).toBe(Boolean(monitor));
  const sent = receiver.requests.map(({ body, headers }) => body + JSON.stringify(headers)).join('\n');
  for (const [place, text] of Object.entries({ logs: logs(), rows, sent, redis: commands.join('\n') })) {
    expect([place, told(text)]).toEqual([place, []]);
    for (const form of roots()) expect(text).not.toContain(form);
  }
});

it('EV-04: no answer holds a token that is only for the inbox', () => {
  const mailedTokens = Object.keys(secrets).filter((name) =>
    /(verification|change|reset|invite) token/.test(name),
  );
  expect(mailedTokens).toHaveLength(6);
  // The hosted pages carry it back to themselves.
  const others = answersOfWalk.filter((answer) => !answer.startsWith('/verify-email'));
  expect(told(others.join('\n'), mailedTokens)).toEqual([]);
});

it('PW-06, TK-05, EV-01: a stolen database holds no password, token, key, pepper or root secret', async () => {
  const now = await dumpTables(instance);
  expect(whileLinksLive.length).toBeGreaterThan(10_000);
  for (const text of [whileLinksLive, now]) {
    expect(told(text)).toEqual([]);
    for (const form of roots()) expect(text).not.toContain(form);
  }
  for (const { hash } of await instance.sql<{ hash: string }>(
    'SELECT password_hash AS hash FROM customers',
  )) {
    expect(hash).toMatch(/^(v1\$[0-9a-f]{8}\$2b\$04\$.{53}|i1\$[A-Za-z0-9+/]+=*)$/);
  }
  // Of a refresh token only the SHA-256 of its 256 bits is stored.
  const bytes = Buffer.from(secrets['faults: refresh token']!.slice('rt_'.length), 'base64url');
  const secret = bytes.subarray(20, 52);
  const hash = createHash('sha256').update(secret).digest();
  expect(await instance.sql('SELECT FROM sessions WHERE current_hash = $1', [hash])).toHaveLength(1);
  expect(now).not.toContain(secret.toString('hex'));
});
