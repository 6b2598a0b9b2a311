import { TestInstance, PASSWORD, type Answer } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
// The tables ask more often than a key or an address may.
beforeAll(async () => (instance = await TestInstance.shared({ workers: 0 })));
afterAll(async () => instance?.stop());

const login = async (email: string, password: string): Promise<number> =>
  (await instance.login(email, password)).status;

/** Presses the button of a hosted page with a password as a browser encodes it. */
const press = (page: string, token: string, encoded: string): Promise<Answer> =>
  instance.request('POST', page, {
    body: `token=${token}&password=${encoded}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });

const resetToken = async (): Promise<{ email: string; token: string }> => {
  const email = uniqueEmail();
  await instance.register(email);
  await instance.page('POST', '/api/v1/auth/forgot-password', { email });
  return { email, token: await instance.token(email, 'reset-password') };
};
const inviteToken = async (): Promise<{ email: string; token: string }> => {
  const email = uniqueEmail();
  await instance.server('POST', '/api/v1/customers', { email, sendInvite: true });
  return { email, token: await instance.token(email, 'accept-invite') };
};

interface Set {
  email: string;
  answer: Answer;
}

/** Every way to a password: tries to give one to a new customer. */
const ways: Record<string, (password: (email: string) => string) => Promise<Set>> = {
  register: async (password) => {
    const email = uniqueEmail();
    return { email, answer: await instance.register(email, { password: password(email) }) };
  },
  'POST /customers': async (password) => {
    const email = uniqueEmail();
    const body = { email, password: password(email) };
    return { email, answer: await instance.server('POST', '/api/v1/customers', body) };
  },
  'POST /me/password': async (password) => {
    const email = uniqueEmail();
    const { accessToken } = (await instance.register(email)).body.tokens;
    const body = { currentPassword: PASSWORD, newPassword: password(email) };
    return { email, answer: await instance.customer(accessToken, 'POST', '/api/v1/me/password', body) };
  },
  'reset-password': async (password) => {
    const { email, token } = await resetToken();
    const body = { token, password: password(email) };
    return { email, answer: await instance.request('POST', '/api/v1/auth/reset-password', { body }) };
  },
  'the page behind a reset link': async (password) => {
    const { email, token } = await resetToken();
    return { email, answer: await press('/reset-password', token, encodeURIComponent(password(email))) };
  },
  'the page behind an invitation': async (password) => {
    const { email, token } = await inviteToken();
    return { email, answer: await press('/accept-invite', token, encodeURIComponent(password(email))) };
  },
};
const names = Object.keys(ways);
const give = (way: string, password: string | ((email: string) => string)): Promise<Set> =>
  ways[way]!(typeof password === 'string' ? () => password : password);

describe('every way to set a password', () => {
  it.each(names)(
    'PW-01, PW-02: %s takes any characters to the last one, also behind byte 72',
    async (way) => {
      for (const password of [
        ' two  blanks at both ends  ',
        '🦄🐴🦄🐴🦄🐴🦄🐴',
        '正しい馬電池ホチキス',
        `${'long enough to pass the limit of bcrypt '.repeat(2)}🦄A`,
        `${'🦄'.repeat(127)}🐴`,
      ]) {
        const { email, answer } = await give(way, password);
        expect([200, 201, 204]).toContain(answer.status);
        const withoutLast = [...password].slice(0, -1).join('');
        expect(await login(email, withoutLast)).toBe(401);
        expect(await login(email, `${withoutLast}B`)).toBe(401);
        expect(await login(email, password)).toBe(200);
      }
    },
  );

  it.each(names)('PW-01: %s refuses 129 characters and cuts nothing', async (way) => {
    const { email, answer } = await give(way, '🦄'.repeat(129));
    expect(answer.status).toBe(422);
    expect(await login(email, '🦄'.repeat(128))).toBe(401);
  });

  it.each(names)(
    'PW-05: %s refuses common passwords, the e-mail and the names of the instance',
    async (way) => {
      const weak: [string, string | ((email: string) => string)][] = [
        ['too_common', 'Password123'],
        ['contains_personal_data', (email) => email.toUpperCase()],
        ['contains_personal_data', (email) => email.split('@')[0]!],
        ['contains_personal_data', 'my project'],
        ['contains_personal_data', 'My Organization'],
      ];
      for (const [reason, password] of weak) {
        const { email, answer } = await give(way, password);
        expect(answer.status).toBe(422);
        if (typeof answer.body !== 'string') expect(answer.body.reasons).toEqual([reason]);
        expect(await login(email, typeof password === 'string' ? password : password(email))).toBe(401);
      }
    },
  );
});

describe('what no password may hold', () => {
  const faulty = {
    'a NUL': 'correct\\u0000horse',
    'a high surrogate': 'correct\\ud83ehorse',
    'a low one': 'correct\\udd84horse',
  };

  it.each(Object.entries(faulty))(
    'PW-04: %s is a 400 on every route that takes a password',
    async (_, password) => {
      const email = uniqueEmail();
      const { accessToken } = (await instance.register(email)).body.tokens;
      const { token } = await resetToken();
      const bearer = { authorization: `Bearer ${accessToken}` };
      const pk = { 'x-publishable-key': instance.credentials.publishableKey };
      const sk = { authorization: `Bearer ${instance.credentials.secretKey}` };
      const routes: [string, Record<string, string>, string[], Record<string, string>][] = [
        ['/api/v1/auth/register', { email: uniqueEmail() }, ['password'], pk],
        ['/api/v1/auth/login', { email }, ['password'], pk],
        ['/api/v1/auth/reset-password', { token }, ['password'], {}],
        ['/api/v1/me/password', {}, ['currentPassword', 'newPassword'], bearer],
        ['/api/v1/me/email', { email: uniqueEmail() }, ['password'], bearer],
        ['/api/v1/me/delete', {}, ['currentPassword'], bearer],
        ['/api/v1/customers', { email: uniqueEmail() }, ['password'], sk],
      ];
      for (const [path, rest, fields, headers] of routes) {
        for (const field of fields) {
          const others = Object.fromEntries(fields.map((name) => [name, PASSWORD]));
          const body = JSON.stringify({ ...rest, ...others, [field]: '*' }).replace('"*"', `"${password}"`);
          const answer = await instance.request('POST', path, { headers, body });
          expect(`${path} ${answer.status} ${answer.body.code}`).toBe(`${path} 400 invalid_json`);
        }
      }
      expect(await login(email, PASSWORD)).toBe(200);
    },
  );

  it.each([
    ['a NUL', 'correct%00horse'],
    ['a lone surrogate', 'correct%ED%A0%BEhorse'],
    ['an invalid byte', 'correct%FFhorse'],
    ['half a character', 'correct%F0%9F%A6'],
  ])('PW-04: %s is a 400 on the hosted pages, and the link stays good', async (_, encoded) => {
    for (const [page, { email, token }] of [
      ['/reset-password', await resetToken()],
      ['/accept-invite', await inviteToken()],
    ] as const) {
      expect((await press(page, token, encoded)).status).toBe(400);
      expect((await press(page, token, 'quite+another+phrase')).status).toBe(200);
      expect(await login(email, 'quite another phrase')).toBe(200);
    }
  });
});

describe('what is hashed', () => {
  const hashOf = async (email: string): Promise<string> =>
    (await instance.sql('SELECT password_hash FROM customers WHERE email = $1', [email]))[0]![
      'password_hash'
    ];
  const setHash = (email: string, hash: string) =>
    instance.sql('UPDATE customers SET password_hash = $2 WHERE email = $1', [email, hash]);

  it('PW-03: is the password alone: a hash fits whichever customer has it', async () => {
    const long = `${'l'.repeat(64)}@${'d'.repeat(60)}.${'d'.repeat(60)}.${'d'.repeat(50)}.example.com`;
    const [first, second] = [uniqueEmail(), long];
    await instance.register(first, { password: 'the first phrase here' });
    await instance.register(second, { password: 'the second phrase here' });
    await setHash(second, await hashOf(first));
    expect(await login(second, 'the first phrase here')).toBe(200);
    expect(await login(second, 'the second phrase here')).toBe(401);
  });

  it('PW-03: no earlier login is remembered beside the hash', async () => {
    const [email, other] = [uniqueEmail(), uniqueEmail()];
    await instance.register(email);
    await instance.register(other, { password: 'quite another phrase' });
    for (let times = 0; times < 3; times += 1) expect(await login(email, PASSWORD)).toBe(200);
    await setHash(email, await hashOf(other));
    expect(await login(email, PASSWORD)).toBe(401);
    expect(await login(email, 'quite another phrase')).toBe(200);
  });
});
