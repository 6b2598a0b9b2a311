import { createHash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { decodeJwt } from 'jose';
import { fetchDocumented } from '../support/fetch-documented.js';
import { TestInstance, PASSWORD, type Answer } from '../support/test-instance.js';
import { startReplica } from '../support/replicas.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
let replica: Awaited<ReturnType<typeof startReplica>>;
beforeAll(async () => {
  // Whoever connects from loopback is a trusted proxy: the worst case for forged headers.
  const env = { RATE_LIMITS: 'off', TRUSTED_PROXIES: '127.0.0.0/8' };
  instance = await TestInstance.start({ workers: 0, env });
  replica = await startReplica(instance);
});
afterAll(async () => {
  await replica?.process.end();
  await instance?.stop();
});

const recipients = async (since: number): Promise<string[]> =>
  (
    await instance.sql<{ recipient: string }>('SELECT recipient FROM mails ORDER BY id OFFSET $1', [since])
  ).map(({ recipient }) => recipient);
const mailCount = async (): Promise<number> => (await recipients(0)).length;
const tokenRoute = (route: string, token: string): Promise<Answer> =>
  instance.request('POST', `/api/v1/auth/${route}`, { body: { token, password: 'quite another phrase' } });

/** The three kinds of links that a customer can ask for, and how to ask: each replica counts its mails itself. */
const kinds = {
  'verify-email': {
    life: 86_400,
    ask: (email: string) => onReplica('/api/v1/auth/resend-verification', { email }),
    use: (token: string) => instance.request('POST', '/api/v1/auth/verify-email', { body: { token } }),
  },
  'reset-password': {
    life: 3_600,
    ask: (email: string) => onReplica('/api/v1/auth/forgot-password', { email }),
    use: (token: string) => tokenRoute('reset-password', token),
  },
};
const onReplica = async (path: string, body: object): Promise<void> => {
  const answer = await fetchDocumented(replica.baseUrl + path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', 'x-publishable-key': instance.credentials.publishableKey },
  });
  expect(answer.status).toBe(202);
};

describe('one-time tokens', () => {
  it.each(Object.entries(kinds))(
    'EV-01: %s: 256 bits, hashed, its life, voided by a newer one',
    async (kind, { life, ask, use }) => {
      const email = uniqueEmail();
      await instance.register(email);
      if (kind === 'reset-password') await instance.page('POST', '/api/v1/auth/forgot-password', { email });
      const older = await instance.token(email, kind);
      await ask(email);
      const newer = await instance.token(email, kind);
      expect(newer).not.toBe(older);
      expect(Buffer.from(newer, 'base64url')).toHaveLength(32);
      const rows = await instance.sql(
        `SELECT token_hash AS hash, email, extract(epoch FROM expires_at - created_at)::int AS life
       FROM one_time_tokens WHERE kind = $1 AND email = $2 ORDER BY id`,
        [kind, email],
      );
      const sha256 = (token: string) => createHash('sha256').update(token).digest();
      expect(rows).toEqual([older, newer].map((token) => ({ hash: sha256(token), email, life })));
      expect(await use(older)).toMatchObject({ status: 400, body: { code: 'invalid_token' } });
      expect((await use(newer)).status).toBeLessThan(300);
    },
  );

  it('EV-04: an e-mail change answers alike for unknown, used, expired and voided tokens', async () => {
    const started = async () => {
      const newEmail = uniqueEmail();
      const { tokens } = (await instance.register()).body;
      const change = { email: newEmail, password: PASSWORD };
      await instance.customer(tokens.accessToken, 'POST', '/api/v1/me/email', change);
      return instance.token(newEmail, 'change-email-new');
    };
    const [used, expired, voided] = [await started(), await started(), await started()];
    const end = (column: string, token: string) =>
      instance.sql(`UPDATE one_time_tokens SET ${column} = now() WHERE token_hash = $1`, [
        createHash('sha256').update(token).digest(),
      ]);
    await end('expires_at', expired);
    await end('voided_at', voided);
    const confirm = async (token: string) => {
      const answer = await instance.request('POST', '/api/v1/auth/confirm-email-change', { body: { token } });
      return { status: answer.status, body: { ...answer.body, requestId: '' } };
    };
    expect((await confirm(used)).status).toBe(200);
    const unknown = await confirm('x'.repeat(43));
    expect(unknown).toMatchObject({ status: 400, body: { code: 'invalid_token' } });
    for (const token of [used, expired, voided, '', 'x', `${voided}=`])
      expect(await confirm(token)).toEqual(unknown);
  });

  it('EV-03: no route of the api takes effect by GET or HEAD', async () => {
    const email = uniqueEmail();
    await instance.register(email);
    const token = await instance.token(email, 'verify-email');
    for (const route of ['verify-email', 'reset-password', 'confirm-email-change']) {
      for (const method of ['GET', 'HEAD']) {
        expect((await instance.request(method, `/api/v1/auth/${route}?token=${token}`)).status).toBe(405);
      }
    }
    expect(
      await instance.sql('SELECT 1 FROM one_time_tokens WHERE email = $1 AND consumed_at IS NULL', [email]),
    ).toHaveLength(1);
  });
});

describe('EV-05: forged names of the instance', () => {
  const forged = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    'x-forwarded-port': '8443',
    'x-original-host': 'evil.example',
    'x-host': 'evil.example',
    forwarded: 'for=192.0.2.1;host=evil.example;proto=https',
  };
  const ask = (method: string, path: string, body?: object): Promise<string> =>
    new Promise((resolve, reject) => {
      const headers = {
        ...forged,
        'x-publishable-key': instance.credentials.publishableKey,
        ...(body ? { 'content-type': 'application/json' } : {}),
      };
      const request = httpRequest(instance.baseUrl + path, { method, headers }, (response) => {
        let text = JSON.stringify(response.headers);
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve(text));
      });
      request.on('error', reject).end(body && JSON.stringify(body));
    });

  it('change no link, no issuer and no answer', async () => {
    const email = uniqueEmail();
    const registered = await ask('POST', '/api/v1/auth/register', { email, password: PASSWORD });
    await ask('POST', '/api/v1/auth/forgot-password', { email });
    for (const kind of ['verify-email', 'reset-password']) {
      const [mail] = await instance.mails(email, kind);
      expect(mail!['link']).toMatch(new RegExp(`^${instance.baseUrl}/${kind}\\?token=[\\w-]{43}$`));
      const page = await ask(
        'GET',
        new URL(mail!['link'] as string).pathname + new URL(mail!['link'] as string).search,
      );
      expect(page).not.toContain('evil.example');
    }
    const [, token] = /"accessToken":"([^"]+)"/.exec(registered)!;
    expect(decodeJwt(token!).iss).toBe(instance.baseUrl);
    expect((await instance.customer(token!, 'GET', '/api/v1/me')).status).toBe(200);
    for (const path of [
      '/api/v1/me',
      '/.well-known/jwks.json',
      '/openapi.json',
      '/docs/errors',
      '/nothing',
    ]) {
      expect(await ask('GET', path)).not.toContain('evil.example');
    }
    expect(await ask('GET', '/api/v1/me')).toContain(`"type":"${instance.baseUrl}/docs/errors#`);
  });
});

describe('EV-06: addresses', () => {
  it.each([
    'ädä@example.com',
    'gıthub@example.com',
    'ada@example.com,eve@evil.example',
    'ada@example.com;eve@evil.example',
    'Ada <ada@example.com>',
    '"ada"@example.com',
    'ada\u0001@example.com',
    'ada\r\nBcc: eve@evil.example',
    `${'a'.repeat(64)}@${'d'.repeat(63)}.${'d'.repeat(63)}.${'d'.repeat(63)}.com`,
  ])('%j is refused by every route, and nothing is mailed', async (email) => {
    const before = await mailCount();
    const { tokens } = (await instance.register()).body;
    const answers = [
      await instance.register(email),
      await instance.login(email),
      await instance.page('POST', '/api/v1/auth/forgot-password', { email }),
      await instance.page('POST', '/api/v1/auth/resend-verification', { email }),
      await instance.customer(tokens.accessToken, 'POST', '/api/v1/me/email', { email, password: PASSWORD }),
      await instance.server('POST', '/api/v1/customers', { email, sendInvite: true }),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject({
        status: 400,
        body: { code: 'validation_failed', errors: [{ field: 'email' }] },
      });
    }
    expect(await mailCount()).toBe(before + 1);
  });

  it('a mail goes to the stored address, however it was asked for', async () => {
    const email = uniqueEmail();
    await instance.register(` ${email.toUpperCase()}\u00a0`);
    const before = await mailCount();
    expect((await instance.register(email.toUpperCase())).status).toBe(409);
    const asked = ` ${email.replace(/[a-f]/, (letter) => letter.toUpperCase())}`;
    await instance.page('POST', '/api/v1/auth/forgot-password', { email: asked });
    // Looks like the same address, and is another domain.
    await instance.page('POST', '/api/v1/auth/forgot-password', {
      email: email.replace('example.com', 'examp\u0131e.com'),
    });
    expect(await recipients(before)).toEqual([email]);
    const [row] = await instance.sql('SELECT count(*)::int AS count FROM customers WHERE email = $1', [
      email,
    ]);
    expect(row!['count']).toBe(1);
  });
});
