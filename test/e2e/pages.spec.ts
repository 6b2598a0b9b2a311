import type { Page } from 'playwright-core';
import { describeBrowser, TestBrowser } from '../support/browser.js';
import { TestInstance, PASSWORD, type Answer } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

const NEW_PASSWORD = 'quite another phrase';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.shared({ workers: 0 })));
afterAll(async () => instance?.stop());

const settings = (changes: unknown): Promise<Answer> =>
  instance.server('PATCH', `/api/v1/projects/${instance.credentials.projectId}`, { settings: changes });

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
const press = async (path: string, fields: Record<string, string> = {}): Promise<Answer> => {
  const url = new URL(path, instance.baseUrl);
  const body = new URLSearchParams({ token: url.searchParams.get('token')!, ...fields });
  const response = await fetch(url.origin + url.pathname, { method: 'POST', body });
  return { status: response.status, headers: response.headers, body: await response.text() };
};

describe('every hosted page', () => {
  it.each(kinds)('%s: looking at it changes nothing, also with HEAD (EV-03)', async (kind) => {
    const { email, path } = await links[kind]();
    for (const method of ['GET', 'HEAD', 'GET'])
      expect((await instance.request(method, path)).status).toBe(200);
    const used = await instance.sql(
      `SELECT 1 FROM one_time_tokens WHERE email = $1 AND consumed_at IS NOT NULL`,
      [email],
    );
    expect(used).toEqual([]);
  });

  it.each(kinds)(
    '%s: has headers that keep its link secret and its content its own (HD-01)',
    async (kind) => {
      const { path } = await links[kind]();
      const { headers, body } = await instance.request('GET', path);
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-robots-tag')).toBe('noindex, nofollow');
      expect(headers.get('cache-control')).toBe('no-store');
      const policy = headers.get('content-security-policy')!;
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      expect(body).not.toContain('<script');
      expect(body).toContain('<html lang="en">');
    },
  );

  it('says the same of every token that it does not know, whatever the page', async () => {
    const answers = await Promise.all(
      ['/verify-email', '/reset-password', '/accept-invite', '/confirm-email-change'].flatMap((path) => [
        instance.request('GET', `${path}?token=${'x'.repeat(43)}`),
        instance.request('GET', path),
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

  it.each(['verify-email', 'reset-password', 'accept-invite'] as const)(
    '%s: an expired link is renewed with one click, once a minute',
    async (kind) => {
      const { email, path } = await links[kind]();
      await expire(email);
      await instance.sql('DELETE FROM mails WHERE recipient = $1', [email]);
      const looked = await instance.request('GET', path);
      expect(looked.status).toBe(400);
      expect(looked.body).toContain('Send a new link');
      expect((await press(path)).body).toContain('Send a new link');
      const before = await instance.sql('SELECT 1 FROM mails WHERE recipient = $1', [email]);
      expect(before).toEqual([]);
      const renewed = await press(path, { renew: '1' });
      expect(renewed.status).toBe(200);
      expect(renewed.body).toContain(email);
      await press(path, { renew: '1' });
      // The registration and the request have just written such a mail, so another one comes a minute later.
      const expected = kind === 'accept-invite' ? 1 : 0;
      expect(await instance.sql('SELECT 1 FROM mails WHERE recipient = $1', [email])).toHaveLength(expected);
    },
  );

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

  it('take any characters, also those that a form has to encode (PW-01)', async () => {
    const { email, path } = await links['accept-invite']();
    const password = ' päss & wörd + 漢字 = 🦄% ';
    expect((await press(path, { password })).status).toBe(200);
    expect((await instance.login(email, password)).status).toBe(200);
  });
});

describeBrowser('in a browser', () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await TestBrowser.launch();
    await settings({
      branding: { displayName: 'Blumen & Söhne', color: '#7c2d12' },
      redirectUrls: ['https://shop.example.com/welcome'],
    });
  });
  afterAll(async () => {
    await browser?.close();
    await settings({ branding: null, redirectUrls: null });
  });
  beforeEach(() => void (browser.complaints.length = 0));
  // Script is off throughout: the pages have none, and nobody must need any.
  const open = (path: string, options = {}): Promise<Page> =>
    browser.open(instance.baseUrl + path, { javaScriptEnabled: false, ...options });

  it('the verification page works with one press of its one button', async () => {
    const { email, path } = await links['verify-email']();
    const page = await open(path);
    expect(await page.getByText('Blumen & Söhne').count()).toBe(1);
    expect(await page.getByRole('button').count()).toBe(1);
    await browser.shoot(page, 'verify-email');
    await page.getByRole('button').click();
    await page.getByText('Thank you').waitFor();
    expect(await page.getByRole('main').textContent()).toContain(`${email} is confirmed`);
    await browser.shoot(page, 'verify-email-done');
    await page.goto(instance.baseUrl + path);
    await page.getByText('Already confirmed').waitFor();
    expect(browser.complaints).toEqual([]);
    await page.context().close();
  });

  it.each(['light', 'dark'] as const)('a password is reset by keyboard alone (%s)', async (colorScheme) => {
    const { email, path } = await links['reset-password']();
    const page = await open(path, { colorScheme, viewport: { width: 390, height: 700 } });
    await browser.shoot(page, `reset-password-${colorScheme}`);
    const field = page.getByLabel('New password');
    expect(await field.getAttribute('autocomplete')).toBe('new-password');
    await page.keyboard.press('Tab');
    await page.keyboard.type('password123');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await browser.shoot(page, `reset-password-refused-${colorScheme}`);
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    await page.getByRole('button').click();
    await page.getByText('Your password is changed').waitFor();
    await browser.shoot(page, `reset-password-done-${colorScheme}`);
    expect((await instance.login(email, NEW_PASSWORD)).status).toBe(200);
    // The 422 of the refused password is all that the console may tell.
    expect(browser.complaints.filter((line) => !line.includes('422'))).toEqual([]);
    await page.context().close();
  });

  it('an invitation is accepted', async () => {
    const { email, path } = await links['accept-invite']();
    const page = await open(path);
    await browser.shoot(page, 'accept-invite');
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    await page.getByRole('button').click();
    await page.getByText('Your account is ready').waitFor();
    await browser.shoot(page, 'accept-invite-done');
    expect((await instance.login(email, NEW_PASSWORD)).body.customer.emailVerified).toBe(true);
    await page.context().close();
  });

  it('an expired link offers a new one, and an unknown one tells nothing', async () => {
    const { email, path } = await links['accept-invite']();
    await expire(email);
    const page = await open(path);
    await page.getByText('This link has expired').waitFor();
    await browser.shoot(page, 'expired');
    await page.getByRole('button', { name: 'Send a new link' }).click();
    await page.getByText('Check your inbox').waitFor();
    await browser.shoot(page, 'renewed');
    await page.goto(`${instance.baseUrl}/accept-invite?token=${'x'.repeat(43)}`);
    await page.getByText('This link does not work').waitFor();
    await browser.shoot(page, 'unknown');
    await page.context().close();
  });

  it('both sides of a change of address are confirmed', async () => {
    const { email, path } = await links['change-email-new']();
    const page = await open(path);
    await browser.shoot(page, 'confirm-email-change');
    expect(await page.getByRole('main').textContent()).toContain(`to ${email}?`);
    await page.getByRole('button').click();
    await page.getByText('One more step').waitFor();
    await browser.shoot(page, 'confirm-email-change-pending');
    await page.context().close();
  });
});
