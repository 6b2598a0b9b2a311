import { TestInstance, PASSWORD, type Answer } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

const NEW_PASSWORD = 'quite another phrase';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.shared({ workers: 0 })));
afterAll(async () => instance?.stop());

/** A link of each kind, still good. */
const links = {
  'verify-email': async () => {
    const email = uniqueEmail();
    await instance.register(email);
    return { email, path: `/verify-email?token=${await instance.token(email, 'verify-email')}` };
  },
  'reset-password': async () => {
    const email = uniqueEmail();
    await instance.register(email);
    await instance.page('POST', '/api/v1/auth/forgot-password', { email });
    return { email, path: `/reset-password?token=${await instance.token(email, 'reset-password')}` };
  },
  'accept-invite': async () => {
    const email = uniqueEmail();
    await instance.server('POST', '/api/v1/customers', { email, sendInvite: true });
    return { email, path: `/accept-invite?token=${await instance.token(email, 'accept-invite')}` };
  },
  'change-email-new': async () => {
    const [old, email] = [uniqueEmail(), uniqueEmail()];
    const { body } = await instance.register(old);
    const change = { email, password: PASSWORD };
    await instance.customer(body.tokens.accessToken, 'POST', '/api/v1/me/email', change);
    return { email, path: `/confirm-email-change?token=${await instance.token(email, 'change-email-new')}` };
  },
};
type Kind = keyof typeof links;
const kinds = Object.keys(links) as Kind[];

const expire = (email: string) =>
  instance.sql(`UPDATE one_time_tokens SET expires_at = now() - interval '1 s' WHERE email = $1`, [email]);

/** Presses the button of a page without any browser. */
const press = async (path: string, fields: Record<string, string> = {}, headers = {}): Promise<Answer> => {
  const url = new URL(path, instance.baseUrl);
  const body = new URLSearchParams({ token: url.searchParams.get('token')!, ...fields });
  const response = await fetch(url.origin + url.pathname, { method: 'POST', body, headers });
  return { status: response.status, headers: response.headers, body: await response.text() };
};

describe('every hosted page', () => {
  it('changes nothing when opened, also with HEAD (EV-03)', async () => {
    for (const kind of kinds) {
      const { email, path } = await links[kind]();
      for (const method of ['GET', 'HEAD', 'GET']) {
        const opened = await instance.request(method, path);
        expect([kind, opened.status]).toEqual([kind, 200]);
        if (method === 'GET') expect(opened.body.match(/<button/g)).toHaveLength(1);
      }
      const used = await instance.sql(
        `SELECT 1 FROM one_time_tokens WHERE email = $1 AND consumed_at IS NOT NULL`,
        [email],
      );
      expect([kind, used]).toEqual([kind, []]);
    }
  });

  it('has headers that keep its link secret and its content its own, and shows names as text (HD-01)', async () => {
    const name = `UPDATE projects SET name = $1 WHERE id = $2`;
    const [project] = await instance.sql('SELECT name, id FROM projects WHERE id = $1', [
      instance.credentials.projectId,
    ]);
    await instance.sql(name, ['<script>alert(1)</script>', project!['id']]);
    for (const kind of kinds) {
      const { path } = await links[kind]();
      const { headers, body } = await instance.request('GET', path);
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-robots-tag')).toBe('noindex, nofollow');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
      );
      expect(body).not.toContain('<script');
      expect(body).toContain('&#60;script&#62;');
      expect(body).toContain('<html lang="en">');
    }
    await instance.sql(name, [project!['name'], project!['id']]);
  });

  it('says the same of every token that it does not know, whatever the page', async () => {
    const answers = await Promise.all(
      ['/verify-email', '/reset-password', '/accept-invite', '/confirm-email-change'].flatMap((path) => [
        instance.request('GET', `${path}?token=${'x'.repeat(43)}`),
        instance.request('GET', path),
        instance.request('GET', `${path}?token=`),
        instance.request('GET', `${path}?token=a&token=b`),
        press(`${path}?token=nonsense`),
      ]),
    );
    for (const { status, body } of answers)
      expect({ status, body }).toEqual({ status: 400, body: answers[0]!.body });
  });

  it('is a page also when something is wrong, not a problem document', async () => {
    const foreign = await fetch(`${instance.baseUrl}/reset-password`, {
      method: 'POST',
      body: new URLSearchParams({ token: 'x' }),
      headers: { 'sec-fetch-site': 'cross-site' },
    });
    expect(foreign.status).toBe(403);
    expect(foreign.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await foreign.text()).toContain('<h1>');
  });

  it('renews an expired link with one click, once a minute', async () => {
    for (const kind of ['verify-email', 'reset-password', 'accept-invite'] as const) {
      const { email, path } = await links[kind]();
      await expire(email);
      await instance.sql('DELETE FROM mails WHERE recipient = $1', [email]);
      const opened = await instance.request('GET', path);
      expect([kind, opened.status]).toEqual([kind, 400]);
      expect(opened.body).toContain('Send a new link');
      expect((await press(path)).body).toContain('Send a new link');
      const before = await instance.sql('SELECT 1 FROM mails WHERE recipient = $1', [email]);
      expect(before).toEqual([]);
      const renewed = await press(path, { renew: '1' });
      expect([kind, renewed.status]).toEqual([kind, 200]);
      expect(renewed.body).toContain(email);
      await press(path, { renew: '1' });
      // The registration and the request have just written such a mail, so another one comes a minute later.
      const expected = kind === 'accept-invite' ? 1 : 0;
      expect(await instance.sql('SELECT 1 FROM mails WHERE recipient = $1', [email])).toHaveLength(expected);
    }
  });

  it('refuses forms of other sites, other types and more than 4 KiB (IN-02)', async () => {
    const form = (path: string, token: string, headers: Record<string, string> = {}) =>
      instance.request('POST', path, {
        body: new URLSearchParams({ token }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      });
    expect((await form('/verify-email', 'x', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await form('/verify-email', 'x'.repeat(5_000))).status).toBe(413);
    expect((await form('/verify-email', 'x', { 'content-type': 'application/json' })).status).toBe(415);
    expect((await form('/api/v1/auth/verify-email', 'x')).status).toBe(415);
  });

  it('confirms an address when its button is pressed, and says so from then on', async () => {
    const { email, path } = await links['verify-email']();
    const pressed = await press(path, {}, { 'sec-fetch-site': 'same-origin' });
    expect(pressed.status).toBe(200);
    expect(pressed.body).toContain('Thank you');
    expect((await press(path)).body).toContain('Already confirmed');
    expect((await instance.request('GET', path)).body).toContain('Already confirmed');
    expect((await instance.login(email)).body.customer.emailVerified).toBe(true);
  });

  it('shows the branding of the project and both sides of a change of address', async () => {
    const settings = (branding: unknown) =>
      instance.server('PATCH', `/api/v1/projects/${instance.credentials.projectId}`, {
        settings: { branding },
      });
    await settings({ displayName: 'Blumen & Söhne', color: '#7c2d12' });
    const { email, path } = await links['change-email-new']();
    const { body } = await instance.request('GET', path);
    await settings(null);
    expect(body).toContain('Blumen &#38; Söhne');
    expect(body).toContain('#7c2d12');
    expect(body).toContain(email);
    expect((await press(path)).body).toContain('One more step');
  });

  it('a verification link says that the address is confirmed, however that came about', async () => {
    const { email, path } = await links['verify-email']();
    await instance.page('POST', '/api/v1/auth/forgot-password', { email });
    const body = { token: await instance.token(email, 'reset-password'), password: NEW_PASSWORD };
    await instance.request('POST', '/api/v1/auth/reset-password', { body });
    expect(await instance.request('GET', path)).toMatchObject({ status: 200 });
    expect((await instance.request('GET', path)).body).toContain('Already confirmed');
  });

  it('a link that was replaced by a newer one is not renewed', async () => {
    const { email, path } = await links['accept-invite']();
    await instance.sql('UPDATE one_time_tokens SET voided_at = now() WHERE email = $1', [email]);
    expect((await press(path, { renew: '1' })).status).toBe(400);
    expect((await instance.request('GET', path)).body).not.toContain(email);
  });
});

describe('the pages that set a password', () => {
  it('say what is wrong with it, and keep the link good', async () => {
    const { email, path } = await links['reset-password']();
    const refused = await press(path, { password: 'vq7#Kz' });
    expect(refused.status).toBe(422);
    expect(refused.body).toContain('Use at least 8 characters.');
    expect(refused.body).toContain('role="alert"');
    expect((await press(path, { password: email })).body).toContain('Do not use your e-mail address');
    expect((await press(path, { password: 'zero\0byte-in-it' })).status).toBe(400);
    expect((await press(path, { password: NEW_PASSWORD })).status).toBe(200);
    expect((await instance.login(email, NEW_PASSWORD)).status).toBe(200);
    expect((await press(path, { password: 'a third phrase of mine' })).body).toContain('used already');
    expect((await instance.login(email, NEW_PASSWORD)).status).toBe(200);
  });
});
