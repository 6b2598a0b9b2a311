import { createHash } from 'node:crypto';
import { registerOne } from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import { TestInstance, PASSWORD, type Answer } from '../support/test-instance.js';
import { overtaken, type Statement } from '../support/overtaken.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.shared({ workers: 0 })));
afterAll(async () => instance?.stop());

const registered = async () => {
  const { email, id, tokens } = await registerOne(instance);
  return { email, id, accessToken: tokens.accessToken };
};
const change = (accessToken: string, email: string, password = PASSWORD): Promise<Answer> =>
  instance.customer(accessToken, 'POST', '/api/v1/me/email', { email, password });
const confirm = (token: string): Promise<Answer> =>
  instance.request('POST', '/api/v1/auth/confirm-email-change', { body: { token } });
const emailOf = async (id: string) =>
  (await instance.server('GET', `/api/v1/customers/${id}`)).body.email as string;
const login = (email: string): Promise<Answer> => instance.login(email);

/** Asks for a change and returns what both mails hold. */
const underWay = async () => {
  const customer = await registered();
  const newEmail = uniqueEmail();
  expect(await change(customer.accessToken, newEmail)).toMatchObject({ status: 202, body: {} });
  const current = await instance.token(customer.email, 'change-email-current');
  const fresh = await instance.token(newEmail, 'change-email-new');
  return { ...customer, newEmail, current, fresh };
};

describe('a change of email address', () => {
  it('takes effect when both addresses have confirmed, in either order', async () => {
    for (const isNewFirst of [false, true]) {
      const { id, email, newEmail, accessToken, current, fresh } = await underWay();
      const tokens = isNewFirst ? [fresh, current] : [current, fresh];
      // email.changed tells whether it was verified before.
      await instance.sql('UPDATE customers SET email_verified = $2 WHERE id = $1', [id, isNewFirst]);
      expect(await confirm(tokens[0]!)).toMatchObject({ status: 200, body: { status: 'pending' } });
      expect(await emailOf(id)).toBe(email);
      expect(await confirm(tokens[1]!)).toMatchObject({ status: 200, body: { status: 'changed' } });
      expect((await instance.customer(accessToken, 'GET', '/api/v1/me')).body).toMatchObject({
        email: newEmail,
        emailVerified: true,
      });
      expect((await login(newEmail)).status).toBe(200);
      expect((await login(email)).status).toBe(401);
      const [event] = await instance.events(id, 'email.changed');
      expect(event!.data).toMatchObject({ customer: { id, email: newEmail } });
      expect(event!.data.previous).toEqual(isNewFirst ? { email } : { email, emailVerified: false });
      for (const token of tokens) expect((await confirm(token)).status).toBe(400);
    }
  });

  it('both confirmed at the same moment is one change', async () => {
    const { id, newEmail, current, fresh } = await underWay();
    const answers = await Promise.all([confirm(current), confirm(fresh)]);
    expect(answers.map(({ body }) => body.status).sort()).toEqual(['changed', 'pending']);
    expect(await emailOf(id)).toBe(newEmail);
    expect(await instance.events(id, 'email.changed')).toHaveLength(1);
  });

  it('a newer one voids what the older one has reached', async () => {
    const { id, email, accessToken, current, fresh } = await underWay();
    expect((await confirm(current)).body.status).toBe('pending');
    expect((await change(accessToken, uniqueEmail())).status).toBe(202);
    expect((await confirm(fresh)).status).toBe(400);
    expect(await emailOf(id)).toBe(email);
  });

  it('is refused with a wrong password, the same address, or a taken one', async () => {
    const { email, accessToken } = await registered();
    const taken = await registered();
    expect(await change(accessToken, uniqueEmail(), 'wrong password')).toMatchObject({
      status: 401,
      body: { code: 'invalid_credentials' },
    });
    expect(await change(accessToken, email.toUpperCase())).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'email', code: 'unchanged' }] },
    });
    for (let tries = 0; tries < 12; tries += 1) {
      expect(await change(accessToken, taken.email)).toMatchObject({
        status: 409,
        body: { code: 'email_already_registered' },
      });
    }
  });

  it('to an address that is taken meanwhile is refused, and cannot be confirmed', async () => {
    const { id, email, newEmail, current, fresh } = await underWay();
    await confirm(current);
    await instance.register(newEmail);
    expect(await confirm(fresh)).toMatchObject({ status: 409, body: { code: 'email_already_registered' } });
    expect(await emailOf(id)).toBe(email);
  });

  it('voids links that were mailed to the old address (EV-01)', async () => {
    const { email, current, fresh } = await underWay();
    const verification = await instance.verificationToken(email);
    await confirm(current);
    await confirm(fresh);
    const answer = await instance.request('POST', '/api/v1/auth/verify-email', {
      body: { token: verification },
    });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_token' } });
  });
});

it('RL-07, RL-08: a change mails the address of the customer 5 times an hour, and says how long the quota holds', async () => {
  const { email, accessToken } = await registered();
  const request = () => change(accessToken, uniqueEmail());
  // The registration has sent the first of the five.
  for (let count = 0; count < 4; count += 1) expect((await request()).status).toBe(202);
  const refused = await request();
  expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
  expect(await instance.sql('SELECT 1 FROM mails WHERE recipient = $1', [email])).toHaveLength(5);
  const wait = refused.headers.get('retry-after');
  expect(refused.headers.get('ratelimit-policy')).toBe('"mail-recipient";q=5;w=3600');
  expect(refused.headers.get('ratelimit')).toBe(`"mail-recipient";r=0;t=${wait}`);
  await eventually('a shorter wait', async () => {
    const { headers } = await request();
    return Number(headers.get('retry-after')) < 3600;
  });
});

describe('a change to an address where the project hides who is registered', () => {
  const hiding = async <Result>(ask: () => Promise<Result>): Promise<Result> => {
    const set = (enumerationProtection: boolean | null) =>
      instance.server('PATCH', `/api/v1/projects/${instance.credentials.projectId}`, {
        settings: { enumerationProtection },
      });
    await set(true);
    try {
      return await ask();
    } finally {
      await set(null);
    }
  };

  it('EV-07: shows the customer the same whether it is taken or free, and mails its owner', async () => {
    const [taken, free] = [(await registered()).email, uniqueEmail()];
    const seen: unknown[] = [];
    for (const wanted of [taken, free]) {
      const asker = await registered();
      const { status, body } = await hiding(() => change(asker.accessToken, wanted));
      const token = await instance.token(asker.email, 'change-email-current');
      const page = (await instance.request('GET', `/confirm-email-change?token=${token}`)).body as string;
      const confirmed = await confirm(token);
      const mails = await instance.sql('SELECT kind FROM mails WHERE recipient = $1 ORDER BY id', [
        asker.email,
      ]);
      const anonymous = page.replaceAll(asker.email, 'A').replaceAll(wanted, 'B').replaceAll(token, 'T');
      seen.push([status, body, mails, anonymous, confirmed.status, confirmed.body]);
      expect(await emailOf(asker.id)).toBe(asker.email);
    }
    expect(seen[0]).toEqual(seen[1]);
    expect(seen[0]).toMatchObject([202, {}, { length: 2 }, expect.any(String), 200, { status: 'pending' }]);
    const kinds = (recipient: string) =>
      instance.sql(`SELECT kind FROM mails WHERE recipient = $1 AND kind <> 'verify-email'`, [recipient]);
    expect(await kinds(taken)).toEqual([{ kind: 'already-registered' }]);
    expect(await kinds(free)).toEqual([{ kind: 'change-email-new' }]);
  });

  it('EV-07: keeps quiet about a quota that only mails to an owner can have used up', async () => {
    const [taken, first, second] = [await registered(), await registered(), await registered()];
    const statuses: number[] = [];
    await hiding(async () => {
      for (const { accessToken } of [first, first, first, first, second, second]) {
        statuses.push((await change(accessToken, taken.email)).status);
      }
    });
    expect(statuses).toEqual(Array(6).fill(202));
    expect(await instance.sql('SELECT 1 FROM mails WHERE recipient = $1', [taken.email])).toHaveLength(5);
  });

  it('is answered the same when its owner is deleted meanwhile', async () => {
    const [taken, asker] = [await registered(), await registered()];
    const remove = (sql: Statement) => sql('DELETE FROM customers WHERE id = $1', [taken.id]);
    const answer = await hiding(() =>
      overtaken(instance, remove, () => change(asker.accessToken, taken.email)),
    );
    expect(answer).toMatchObject({ status: 202, body: {} });
    const again = await registered();
    const registration = (sql: Statement) => sql('DELETE FROM customers WHERE id = $1', [again.id]);
    const registering = await hiding(() =>
      overtaken(instance, registration, () => instance.register(again.email)),
    );
    expect(registering).toMatchObject({ status: 202, body: {} });
  });
});

describe('one-time tokens', () => {
  /** The kinds of links that a customer can request. */
  const kinds = {
    'verify-email': { life: 86_400, request: 'resend-verification', use: 'verify-email' },
    'reset-password': { life: 3_600, request: 'forgot-password', use: 'reset-password' },
  };
  const post = (route: string, token: string): Promise<Answer> => {
    const more = route === 'reset-password' ? { password: 'quite another phrase' } : {};
    return instance.request('POST', `/api/v1/auth/${route}`, { body: { token, ...more } });
  };
  const sha256 = (token: string) => createHash('sha256').update(token).digest();

  it('EV-01: have 256 bits, are stored as hashes, expire, and are voided by a newer one', async () => {
    for (const [kind, { life, request, use }] of Object.entries(kinds)) {
      const email = uniqueEmail();
      await instance.register(email);
      if (kind === 'reset-password') await instance.page('POST', `/api/v1/auth/${request}`, { email });
      const older = await instance.token(email, kind);
      // The mails of the last minute are forgotten: they would hold up the next.
      await instance.api.command('reset');
      expect((await instance.page('POST', `/api/v1/auth/${request}`, { email })).status).toBe(202);
      const newer = await instance.token(email, kind);
      expect(newer).not.toBe(older);
      expect(Buffer.from(newer, 'base64url')).toHaveLength(32);
      const rows = await instance.sql(
        `SELECT token_hash AS hash, email, extract(epoch FROM expires_at - created_at)::int AS life
         FROM one_time_tokens WHERE kind = $1 AND email = $2 ORDER BY id`,
        [kind, email],
      );
      expect(rows).toEqual([older, newer].map((token) => ({ hash: sha256(token), email, life })));
      const elsewhere = await instance.sql(
        `SELECT m::text AS line FROM mails m WHERE recipient = $1
         UNION ALL SELECT body FROM events WHERE body LIKE '%' || $1 || '%'`,
        [email],
      );
      for (const { line } of elsewhere)
        for (const form of [newer, Buffer.from(newer).toString('hex')]) expect(line).not.toContain(form);
      expect(await post(use, older)).toMatchObject({ status: 400, body: { code: 'invalid_token' } });
      expect((await post(use, newer)).status).toBeLessThan(300);
    }
  });

  it('EV-04: of an email change get one response, whether unknown, used, expired or voided', async () => {
    const [used, expired, voided] = [
      (await underWay()).fresh,
      (await underWay()).fresh,
      (await underWay()).fresh,
    ];
    const end = (column: string, token: string) =>
      instance.sql(`UPDATE one_time_tokens SET ${column} = now() WHERE token_hash = $1`, [sha256(token)]);
    await end('expires_at', expired);
    await end('voided_at', voided);
    const confirmed = async (token: string) => {
      const { status, body } = await confirm(token);
      return { status, body: { ...body, requestId: '' } };
    };
    expect((await confirmed(used)).status).toBe(200);
    const unknown = await confirmed('x'.repeat(43));
    expect(unknown).toMatchObject({ status: 400, body: { code: 'invalid_token' } });
    for (const token of [used, expired, voided, '', 'x', `${voided}=`])
      expect(await confirmed(token)).toEqual(unknown);
  });

  it('EV-03: no route of the api takes effect by GET or HEAD', async () => {
    const { email } = await registered();
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

describe('EV-06: addresses', () => {
  const recipients = async (): Promise<string[]> =>
    (await instance.sql<{ recipient: string }>('SELECT recipient FROM mails ORDER BY id')).map(
      ({ recipient }) => recipient,
    );

  it('that could be read in two ways are refused by every route, and nothing is mailed', async () => {
    const { tokens } = await registerOne(instance);
    const before = await recipients();
    const faults: unknown[] = [];
    for (const email of [
      'ädä@example.com',
      'gıthub@example.com',
      'ada@example.com,eve@evil.example',
      'ada@example.com;eve@evil.example',
      'Ada <ada@example.com>',
      '"ada"@example.com',
      'ada\u0001@example.com',
      'ada\r\nBcc: eve@evil.example',
      `${'a'.repeat(64)}@${'d'.repeat(63)}.${'d'.repeat(63)}.${'d'.repeat(63)}.com`,
    ]) {
      const answers = [
        await instance.register(email),
        await instance.login(email),
        await instance.page('POST', '/api/v1/auth/forgot-password', { email }),
        await instance.page('POST', '/api/v1/auth/resend-verification', { email }),
        await change(tokens.accessToken, email),
        await instance.server('POST', '/api/v1/customers', { email, sendInvite: true }),
      ];
      for (const [index, { status, body }] of answers.entries()) {
        const shown = [status, body.code, body.errors?.[0]?.field].join();
        if (shown !== '400,validation_failed,email') faults.push([email, index, shown]);
      }
    }
    expect(faults).toEqual([]);
    expect(await recipients()).toEqual(before);
  });

  it('get mail as they are stored, however they are written in the request', async () => {
    const email = uniqueEmail();
    await instance.register(` ${email.toUpperCase()}\u00a0`);
    const before = await recipients();
    expect((await instance.register(email.toUpperCase())).status).toBe(409);
    const asked = ` ${email.replace(/[a-f]/, (letter) => letter.toUpperCase())}`;
    await instance.page('POST', '/api/v1/auth/forgot-password', { email: asked });
    // Looks like the same address, and is another domain.
    await instance.page('POST', '/api/v1/auth/forgot-password', {
      email: email.replace('example.com', 'examp\u0131e.com'),
    });
    expect(await recipients()).toEqual([...before, email]);
    const customers = await instance.sql('SELECT 1 FROM customers WHERE email = $1', [email]);
    expect(customers).toHaveLength(1);
  });
});

describe('resending the verification mail', () => {
  const resend = (email: string, more = {}): Promise<Answer> =>
    instance.page('POST', '/api/v1/auth/resend-verification', { email, ...more });
  const written = async (email: string): Promise<number> =>
    (await instance.sql(`SELECT 1 FROM mails WHERE recipient = $1 AND kind = 'verify-email'`, [email]))
      .length;

  /** A customer whose mail of the registration was not counted, for they came through a server. */
  const unverified = async (): Promise<string> => {
    const email = uniqueEmail();
    await instance.server('POST', '/api/v1/customers', { email });
    return email;
  };

  it('answers alike for everyone, and mails only whom it concerns', async () => {
    const verified = uniqueEmail();
    await instance.server('POST', '/api/v1/customers', { email: verified, emailVerified: true });
    const [open, unknown] = [await unverified(), uniqueEmail()];
    for (const email of [open, verified, unknown]) {
      expect(await resend(email)).toMatchObject({ status: 202, body: {} });
    }
    expect([await written(open), await written(verified), await written(unknown)]).toEqual([1, 0, 0]);
    const token = await instance.verificationToken(open);
    const answer = await instance.request('POST', '/api/v1/auth/verify-email', { body: { token } });
    expect(answer.body.customer).toMatchObject({ email: open, emailVerified: true });
  });

  it('writes one mail in 60 s, counting the one of the registration (RL-08)', async () => {
    const open = await unverified();
    for (let tries = 0; tries < 3; tries += 1) expect((await resend(open)).status).toBe(202);
    expect(await written(open)).toBe(1);
    const { email } = await registered();
    await resend(email);
    expect(await written(email)).toBe(1);
  });

  it('takes a redirectUrl from the list of the project, and no other', async () => {
    const redirectUrl = 'https://shop.example.com/welcome';
    await instance.server('PATCH', `/api/v1/projects/${instance.credentials.projectId}`, {
      settings: { redirectUrls: [redirectUrl] },
    });
    const open = await unverified();
    expect(await resend(open, { redirectUrl: 'https://evil.example.com/' })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'redirectUrl', code: 'not_allowed' }] },
    });
    await resend(open, { redirectUrl });
    const token = await instance.verificationToken(open);
    const page = await instance.request('GET', `/verify-email?token=${token}`);
    expect(page.status).toBe(200);
    const done = await fetch(`${instance.baseUrl}/verify-email`, {
      method: 'POST',
      body: new URLSearchParams({ token }),
    });
    expect(await done.text()).toContain(`href="${redirectUrl}"`);
  });

  it("leads to the project's own page where it has one", async () => {
    await instance.server('PATCH', `/api/v1/projects/${instance.credentials.projectId}`, {
      settings: { verifyEmailUrl: 'https://shop.example.com/verify?lang=en' },
    });
    const open = await unverified();
    await resend(open);
    const [mail] = await eventually('the mail', async () => {
      const mails = await instance.mails(open, 'verify-email');
      return mails.length > 0 && mails;
    });
    expect(mail!['link']).toMatch(/^https:\/\/shop\.example\.com\/verify\?lang=en&token=[\w-]{43}$/);
    await instance.server('PATCH', `/api/v1/projects/${instance.credentials.projectId}`, {
      settings: { verifyEmailUrl: null },
    });
  });
});

// One mail of a kind a minute to one address: one that was counted would hold up the next.
describe('RL-08: a mail that is not written counts for no quota', () => {
  const request = async (email: string): Promise<void> => {
    for (const route of ['forgot-password', 'resend-verification'])
      expect((await instance.page('POST', `/api/v1/auth/${route}`, { email })).status).toBe(202);
  };
  const create = (body: object): Promise<Answer> => instance.server('POST', '/api/v1/customers', body);
  const written = async (email: string): Promise<string[]> =>
    (await instance.sql('SELECT kind FROM mails WHERE recipient = $1 ORDER BY id', [email])).map(
      ({ kind }) => kind,
    );

  it('of an unknown address', async () => {
    const email = uniqueEmail();
    await request(email);
    await create({ email, password: PASSWORD });
    await request(email);
    expect(await written(email)).toEqual(['reset-password', 'verify-email']);
  });

  it('of a customer who is verified', async () => {
    const email = uniqueEmail();
    const { body } = await create({ email, emailVerified: true });
    const resend = () => instance.page('POST', '/api/v1/auth/resend-verification', { email });
    for (let count = 0; count < 5; count += 1) await resend();
    await instance.sql('UPDATE customers SET email_verified = false WHERE id = $1', [body.id]);
    await resend();
    expect(await written(email)).toEqual(['verify-email']);
  });

  it('of a customer who is disabled', async () => {
    const email = uniqueEmail();
    const { body } = await create({ email });
    await instance.server('POST', `/api/v1/customers/${body.id}/disable`);
    await request(email);
    await instance.server('POST', `/api/v1/customers/${body.id}/enable`);
    await request(email);
    expect(await written(email)).toEqual(['reset-password', 'verify-email']);
  });
});
