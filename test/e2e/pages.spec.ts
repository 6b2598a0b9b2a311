import {
  inviteCustomer,
  NEW_PASSWORD,
  registerCustomer,
  requestEmailChange,
  requestReset,
  submitToken,
  withSettings,
} from '../support/customers.js';
import { TestInstance, type TestResponse } from '../support/test-instance.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

/** A valid link of each kind, and the address it was mailed to. */
const links = {
  'verify-email': async () => {
    const { email } = await registerCustomer(instance);
    return { email, path: `/verify-email?token=${await instance.getMailToken(email, 'verify-email')}` };
  },
  'reset-password': async () => {
    const { email } = await registerCustomer(instance);
    return { email, path: `/reset-password?token=${await requestReset(instance, email)}` };
  },
  'accept-invite': async () => {
    const { email, token } = await inviteCustomer(instance);
    return { email, path: `/accept-invite?token=${token}` };
  },
  'change-email-new': async () => {
    const { newEmail, fresh } = await requestEmailChange(instance, await registerCustomer(instance));
    return { email: newEmail, path: `/confirm-email-change?token=${fresh}` };
  },
};
type Kind = keyof typeof links;
const kinds = Object.keys(links) as Kind[];

const expire = (email: string) =>
  instance.sql(`UPDATE one_time_tokens SET expires_at = now() - interval '1 s' WHERE email = $1`, [email]);

/** Presses the button of a page without any browser. */
const press = async (
  path: string,
  fields: Record<string, string> = {},
  headers = {},
): Promise<TestResponse> => {
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
    const project = `/api/v1/projects/${instance.credentials.projectId}`;
    await instance.requestWithSecretKey('PATCH', project, { name: '<script>alert(1)</script>' });
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
    await instance.requestWithSecretKey('PATCH', project, { name: 'My project' });
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

  it('renews an expired link with one click, once a minute', async () => {
    for (const kind of ['verify-email', 'reset-password', 'accept-invite'] as const) {
      const { email, path } = await links[kind]();
      await expire(email);
      await instance.sql('DELETE FROM mails WHERE recipient = $1', [email]);
      const opened = await instance.request('GET', path);
      expect([kind, opened.status]).toEqual([kind, 400]);
      expect(opened.body).toContain('Send a new link');
      expect((await press(path)).body).toContain('Send a new link');
      expect(await instance.listMailKinds(email)).toEqual([]);
      const renewed = await press(path, { renew: '1' });
      expect([kind, renewed.status]).toEqual([kind, 200]);
      expect(renewed.body).toContain(email);
      await press(path, { renew: '1' });
      // The registration and the request have just written such a mail, so another one comes a minute later.
      expect(await instance.listMailKinds(email)).toEqual(kind === 'accept-invite' ? [kind] : []);
    }
  });

  it('refuses forms of other sites, other types and more than 4 KiB (IN-02)', async () => {
    const form = (path: string, token: string, headers: Record<string, string> = {}) =>
      instance.request('POST', path, {
        body: new URLSearchParams({ token }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      });
    const foreign = await form('/verify-email', 'x', { 'sec-fetch-site': 'cross-site' });
    expect(foreign.status).toBe(403);
    // A page, not a problem document.
    expect(foreign.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(foreign.body).toContain('<h1>');
    expect((await form('/verify-email', 'x'.repeat(5_000))).status).toBe(413);
    expect((await form('/verify-email', 'x', { 'content-type': 'application/json' })).status).toBe(415);
    expect((await form('/api/v1/auth/verify-email', 'x')).status).toBe(415);
  });

  it('confirms an address when its button is pressed, and says so from then on, however that came about', async () => {
    const { email, path } = await links['verify-email']();
    const pressed = await press(path, {}, { 'sec-fetch-site': 'same-origin' });
    expect(pressed.status).toBe(200);
    expect(pressed.body).toContain('Thank you');
    expect((await press(path)).body).toContain('Already confirmed');
    expect((await instance.login(email)).body.customer.emailVerified).toBe(true);

    const other = await links['verify-email']();
    await submitToken(instance, 'reset-password', await requestReset(instance, other.email));
    for (const each of [path, other.path]) {
      const opened = await instance.request('GET', each);
      expect([opened.status, opened.body]).toEqual([200, expect.stringContaining('Already confirmed')]);
    }
  });

  it('shows the branding of the project and both sides of a change of address', async () => {
    const branding = { displayName: 'Blumen & Söhne', color: '#7c2d12' };
    const { email, path } = await links['change-email-new']();
    const { body } = await withSettings(instance, { branding }, () => instance.request('GET', path));
    for (const shown of ['Blumen &#38; Söhne', '#7c2d12', email]) expect(body).toContain(shown);
    expect((await press(path)).body).toContain('One more step');
  });

  it('a link that was replaced by a newer one is not renewed', async () => {
    const { email, path } = await links['accept-invite']();
    await instance.sql('UPDATE one_time_tokens SET voided_at = now() WHERE email = $1', [email]);
    expect((await press(path, { renew: '1' })).status).toBe(400);
    expect((await instance.request('GET', path)).body).not.toContain(email);
  });
});

it('a page that sets a password says what is wrong with it, and the link stays valid until it is used', async () => {
  const { email, path } = await links['reset-password']();
  const refused = await press(path, { password: 'vq7#Kz' });
  expect(refused.status).toBe(422);
  expect(refused.body).toContain('Use at least 8 characters.');
  expect(refused.body).toContain('role="alert"');
  expect((await press(path, { password: email })).body).toContain('Do not use your email address');
  expect((await press(path, { password: 'zero\0byte-in-it' })).status).toBe(400);
  expect((await press(path, { password: NEW_PASSWORD })).status).toBe(200);
  expect((await instance.login(email, NEW_PASSWORD)).status).toBe(200);
  expect((await press(path, { password: 'a third phrase of mine' })).body).toContain('already been used');
  expect((await instance.login(email, NEW_PASSWORD)).status).toBe(200);
});
