import { randomUUID } from 'node:crypto';
import { eventually } from '../support/eventually.js';
import { House, PASSWORD, type Answer } from '../support/house.js';

let house: House;
beforeAll(async () => (house = await House.start()));
afterAll(async () => house?.stop());

const uniqueEmail = (): string => `${randomUUID()}@example.com`;
const registered = async () => {
  const email = uniqueEmail();
  const { body } = await house.register(email);
  return { email, id: body.customer.id as string, accessToken: body.tokens.accessToken as string };
};
const change = (accessToken: string, email: string, password = PASSWORD): Promise<Answer> =>
  house.customer(accessToken, 'POST', '/api/v1/me/email', { email, password });
const confirm = (token: string): Promise<Answer> =>
  house.request('POST', '/api/v1/auth/confirm-email-change', { body: { token } });
const emailOf = async (id: string) =>
  (await house.server('GET', `/api/v1/customers/${id}`)).body.email as string;
const login = (email: string): Promise<Answer> =>
  house.page('POST', '/api/v1/auth/login', { email, password: PASSWORD });

/** Asks for a change and returns what both mails hold. */
const underWay = async () => {
  const customer = await registered();
  const newEmail = uniqueEmail();
  expect(await change(customer.accessToken, newEmail)).toMatchObject({ status: 202, body: {} });
  const current = await house.token(customer.email, 'change-email-current');
  const fresh = await house.token(newEmail, 'change-email-new');
  return { ...customer, newEmail, current, fresh };
};

describe('a change of e-mail address', () => {
  it.each(['the old address', 'the new address'])(
    'takes effect when both have confirmed, %s first',
    async (first) => {
      const { id, email, newEmail, accessToken, current, fresh } = await underWay();
      const tokens = first === 'the old address' ? [current, fresh] : [fresh, current];
      expect(await confirm(tokens[0]!)).toMatchObject({ status: 200, body: { status: 'pending' } });
      expect(await emailOf(id)).toBe(email);
      expect(await confirm(tokens[1]!)).toMatchObject({ status: 200, body: { status: 'changed' } });
      expect((await house.customer(accessToken, 'GET', '/api/v1/me')).body).toMatchObject({
        email: newEmail,
        emailVerified: true,
      });
      expect((await login(newEmail)).status).toBe(200);
      expect((await login(email)).status).toBe(401);
      const [event] = await house.events(id, 'email.changed');
      expect(event!.data).toMatchObject({ customer: { id, email: newEmail }, previous: { email } });
      for (const token of tokens) expect((await confirm(token)).status).toBe(400);
    },
  );

  it('both confirmed at the same moment is one change', async () => {
    const { id, newEmail, current, fresh } = await underWay();
    const answers = await Promise.all([confirm(current), confirm(fresh)]);
    expect(answers.map(({ body }) => body.status).sort()).toEqual(['changed', 'pending']);
    expect(await emailOf(id)).toBe(newEmail);
    expect(await house.events(id, 'email.changed')).toHaveLength(1);
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

  it('mails the address that the customer has 5 times an hour at most, and says so (RL-08)', async () => {
    const { email, accessToken } = await registered();
    const statuses: number[] = [];
    for (let tries = 0; tries < 6; tries += 1) {
      statuses.push((await change(accessToken, uniqueEmail())).status);
    }
    // The registration has sent the first of the five.
    expect(statuses).toEqual([202, 202, 202, 202, 429, 429]);
    expect(await house.sql('SELECT 1 FROM mails WHERE recipient = $1', [email])).toHaveLength(5);
  });

  it('to an address that somebody takes meanwhile is refused, and can be confirmed no more', async () => {
    const { id, email, newEmail, current, fresh } = await underWay();
    await confirm(current);
    await house.register(newEmail);
    expect(await confirm(fresh)).toMatchObject({ status: 409, body: { code: 'email_already_registered' } });
    expect(await emailOf(id)).toBe(email);
  });

  it('voids links that were mailed to the old address (EV-01)', async () => {
    const { email, current, fresh } = await underWay();
    const verification = await house.verificationToken(email);
    await confirm(current);
    await confirm(fresh);
    const answer = await house.request('POST', '/api/v1/auth/verify-email', {
      body: { token: verification },
    });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_token' } });
  });
});

describe('resending the verification mail', () => {
  const resend = (email: string, more = {}): Promise<Answer> =>
    house.page('POST', '/api/v1/auth/resend-verification', { email, ...more });
  const written = async (email: string): Promise<number> =>
    (await house.sql(`SELECT 1 FROM mails WHERE recipient = $1 AND kind = 'verify-email'`, [email])).length;

  /** A customer whose mail of the registration was not counted, for they came through a server. */
  const unverified = async (): Promise<string> => {
    const email = uniqueEmail();
    await house.server('POST', '/api/v1/customers', { email });
    return email;
  };

  it('answers alike for everyone, and mails only whom it concerns', async () => {
    const verified = uniqueEmail();
    await house.server('POST', '/api/v1/customers', { email: verified, emailVerified: true });
    const [open, unknown] = [await unverified(), uniqueEmail()];
    for (const email of [open, verified, unknown]) {
      expect(await resend(email)).toMatchObject({ status: 202, body: {} });
    }
    expect([await written(open), await written(verified), await written(unknown)]).toEqual([1, 0, 0]);
    const token = await house.verificationToken(open);
    const answer = await house.request('POST', '/api/v1/auth/verify-email', { body: { token } });
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
    await house.server('PATCH', `/api/v1/projects/${house.credentials.projectId}`, {
      settings: { redirectUrls: [redirectUrl] },
    });
    const open = await unverified();
    expect(await resend(open, { redirectUrl: 'https://evil.example.com/' })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'redirectUrl', code: 'not_allowed' }] },
    });
    await resend(open, { redirectUrl });
    const token = await house.verificationToken(open);
    const page = await house.request('GET', `/verify-email?token=${token}`);
    expect(page.status).toBe(200);
    const done = await fetch(`${house.baseUrl}/verify-email`, {
      method: 'POST',
      body: new URLSearchParams({ token }),
    });
    expect(await done.text()).toContain(`href="${redirectUrl}"`);
  });

  it("leads to the project's own page where it has one", async () => {
    await house.server('PATCH', `/api/v1/projects/${house.credentials.projectId}`, {
      settings: { verifyEmailUrl: 'https://shop.example.com/verify?lang=en' },
    });
    const open = await unverified();
    await resend(open);
    const [mail] = await eventually('the mail', async () => {
      const mails = await house.mails(open, 'verify-email');
      return mails.length > 0 && mails;
    });
    expect(mail!['link']).toMatch(/^https:\/\/shop\.example\.com\/verify\?lang=en&token=[\w-]{43}$/);
    await house.server('PATCH', `/api/v1/projects/${house.credentials.projectId}`, {
      settings: { verifyEmailUrl: null },
    });
  });
});
