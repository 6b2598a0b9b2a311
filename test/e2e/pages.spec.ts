import {
  inviteCustomer,
  NEW_PASSWORD,
  registerCustomer,
  requestEmailChange,
  requestReset,
  submitToken,
  withSettings,
} from '../support/customers.js';
import { PASSWORD, TestInstance, type TestResponse } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

/** Functions that create a valid link of each kind, and the address to which it was emailed. */
const createLink = {
  'verify-email': async () => {
    const { email } = await registerCustomer(instance);
    return { email, path: `/verify-email?token=${await instance.getMailToken(email, 'verify-email')}` };
  },
  disown: async () => {
    const { email } = await registerCustomer(instance);
    return { email, path: `/disown?token=${await instance.getMailToken(email, 'verify-email')}` };
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
    const { newEmail, newToken } = await requestEmailChange(instance, await registerCustomer(instance));
    return { email: newEmail, path: `/confirm-email-change?token=${newToken}` };
  },
};
type Kind = keyof typeof createLink;
const kinds = Object.keys(createLink) as Kind[];

const expire = (email: string) =>
  instance.sql(`UPDATE one_time_tokens SET expires_at = now() - interval '1 s' WHERE email = $1`, [email]);

/** Submits a page's form without a browser. */
const submitForm = async (
  path: string,
  fields: Record<string, string> = {},
  headers = {},
): Promise<TestResponse> => {
  const url = new URL(path, instance.baseUrl);
  const body = new URLSearchParams({ token: url.searchParams.get('token')!, ...fields });
  const response = await fetch(url.origin + url.pathname, { method: 'POST', body, headers });
  return { status: response.status, headers: response.headers, body: await response.text() };
};

const registerWith = (userAgent: string, email: string, firstName?: string): Promise<TestResponse> =>
  instance.request('POST', '/api/v1/auth/register', {
    body: { email, password: PASSWORD, firstName },
    headers: { 'x-publishable-key': instance.credentials.publishableKey, 'user-agent': userAgent },
  });

describe('every hosted page', () => {
  it('changes nothing when opened, even with HEAD (EV-03)', async () => {
    for (const kind of kinds) {
      const { email, path } = await createLink[kind]();
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

  it('has headers that protect its link and its content, and escapes names (HD-01)', async () => {
    const project = `/api/v1/projects/${instance.credentials.projectId}`;
    await instance.requestWithSecretKey('PATCH', project, { name: '<script>alert(1)</script>' });
    for (const kind of kinds) {
      const { path } = await createLink[kind]();
      const { headers, body } = await instance.request('GET', path);
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-robots-tag')).toBe('noindex, nofollow');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
      );
      expect(body).not.toMatch(/<script(?! defer src="\/sign-in\/page.js"><)/);
      expect(body).toContain('&#60;script&#62;');
      expect(body).toContain('<html lang="en">');
    }
    await instance.requestWithSecretKey('PATCH', project, { name: 'My project' });
  });

  it('returns the same response for every unknown token', async () => {
    const responses = await Promise.all(
      ['/verify-email', '/disown', '/reset-password', '/accept-invite', '/confirm-email-change'].flatMap(
        (path) => [
          instance.request('GET', `${path}?token=${'x'.repeat(43)}`),
          instance.request('GET', path),
          instance.request('GET', `${path}?token=`),
          instance.request('GET', `${path}?token=a&token=b`),
          submitForm(`${path}?token=nonsense`),
        ],
      ),
    );
    for (const { status, body } of responses)
      expect({ status, body }).toEqual({ status: 400, body: responses[0]!.body });
  });

  it('renews an expired link with one click, once a minute', async () => {
    for (const kind of ['verify-email', 'reset-password', 'accept-invite'] as const) {
      const { email, path } = await createLink[kind]();
      await expire(email);
      await instance.sql('DELETE FROM mails WHERE recipient = $1', [email]);
      const opened = await instance.request('GET', path);
      expect([kind, opened.status]).toEqual([kind, 400]);
      expect(opened.body).toContain('Send a new link');
      expect((await submitForm(path)).body).toContain('Send a new link');
      expect(await instance.listMailKinds(email)).toEqual([]);
      const renewed = await submitForm(path, { renew: '1' });
      expect([kind, renewed.status]).toEqual([kind, 200]);
      expect(renewed.body).toContain(email);
      await submitForm(path, { renew: '1' });
      // An email of this kind has just been sent, so the next one is sent only after a minute.
      expect(await instance.listMailKinds(email)).toEqual(kind === 'accept-invite' ? [kind] : []);
    }
  });

  it('rejects forms from other sites, of other types and over 4 KiB (IN-02)', async () => {
    const postForm = (path: string, token: string, headers: Record<string, string> = {}) =>
      instance.request('POST', path, {
        body: new URLSearchParams({ token }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      });
    const crossSite = await postForm('/verify-email', 'x', { 'sec-fetch-site': 'cross-site' });
    expect(crossSite.status).toBe(403);
    // The response is a page, not a problem document.
    expect(crossSite.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(crossSite.body).toContain('<h1>');
    expect((await postForm('/verify-email', 'x'.repeat(5_000))).status).toBe(413);
    expect((await postForm('/verify-email', 'x', { 'content-type': 'application/json' })).status).toBe(415);
    expect((await postForm('/api/v1/auth/verify-email', 'x')).status).toBe(415);
  });

  it('confirms an address when its button is pressed, and reports if it already is confirmed', async () => {
    const { email, path } = await createLink['verify-email']();
    const submitted = await submitForm(path, {}, { 'sec-fetch-site': 'same-origin' });
    expect(submitted.status).toBe(200);
    expect(submitted.body).toContain('Thank you');
    expect((await submitForm(path)).body).toContain('Already confirmed');
    expect((await instance.login(email)).body.customer.emailVerified).toBe(true);

    const other = await createLink['verify-email']();
    await submitToken(instance, 'reset-password', await requestReset(instance, other.email));
    for (const each of [path, other.path]) {
      const opened = await instance.request('GET', each);
      expect([opened.status, opened.body]).toEqual([200, expect.stringContaining('Already confirmed')]);
    }
  });

  it("shows an account's creation time and device, and offers to remove all access to it", async () => {
    const email = uniqueEmail();
    const userAgent =
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
    const { customer, tokens } = (await registerWith(userAgent, email)).body;
    await instance.sql(`UPDATE customers SET created_at = '2026-03-02T09:14:07Z' WHERE id = $1`, [
      customer.id,
    ]);
    const path = `/verify-email?token=${await instance.getVerificationToken(email)}`;
    const shown = 'This account was created on March 2, 2026 at 09:14 UTC with Chrome on Windows.';
    const offers: string[] = [];
    const first = await instance.request('GET', path);
    expect(first.body).toContain(shown);
    const confirmed = await submitForm(path);
    expect(confirmed.body).toContain('Thank you');
    for (const page of [first, confirmed, await instance.request('GET', path)]) {
      const [, href, label] = /<a href="([^"]+)">([^<]+)<\/a>/.exec(page.body as string)!;
      expect(label).toBe('I didn&#39;t create this account');
      offers.push(href!.replaceAll('&#38;', '&'));
    }
    expect(new Set(offers).size).toBe(1);

    const opened = await instance.request('GET', offers[0]!);
    expect([opened.status, opened.body]).toEqual([200, expect.stringContaining(shown)]);
    const getMe = () => instance.requestWithAccessToken(tokens.accessToken, 'GET', '/api/v1/me');
    const rejected = await submitForm(offers[0]!, {}, { 'sec-fetch-site': 'cross-site' });
    expect([rejected.status, (await getMe()).status]).toEqual([403, 200]);
    const submitted = await submitForm(offers[0]!, {}, { 'sec-fetch-site': 'same-origin' });
    expect(submitted.body).toContain('All access has been removed');
    expect((await getMe()).status).toBe(401);
    expect((await submitForm(offers[0]!)).body).toContain('already been removed');
    expect((await instance.request('GET', path)).body).not.toContain('<a href');
    const resetPath = `/reset-password?token=${await instance.getMailToken(email, 'reset-password')}`;
    expect((await submitForm(resetPath, { password: NEW_PASSWORD })).status).toBe(200);
    expect((await instance.login(email, NEW_PASSWORD)).status).toBe(200);
    await expire(email);
    const expired = await instance.request('GET', offers[0]!);
    expect([expired.status, expired.body]).toEqual([400, expect.stringContaining('Forgot password')]);
  });

  it('shows nothing that the creator of an account entered, except the email address', async () => {
    for (const userAgent of [
      'Your card is blocked, call 555/1.0 (x)',
      '<b>x</b>/1.0 (Windows NT 10.0)',
      '',
    ]) {
      const email = uniqueEmail();
      await registerWith(userAgent, email, 'Open evil.example');
      const token = await instance.getVerificationToken(email);
      for (const path of ['/verify-email', '/disown']) {
        const { body } = await instance.request('GET', `${path}?token=${token}`);
        const [, created] = /This account was created on ([^<]+)</.exec(body as string)!;
        expect(created).toMatch(/^\w+ \d+, \d{4} at \d\d:\d\d UTC( with Windows)?\.$/);
        expect(body).not.toContain('evil.example');
      }
    }
  });

  it("shows the project's branding, and the address of a pending change", async () => {
    const branding = { displayName: 'Blumen & Söhne', color: '#7c2d12' };
    const { email, path } = await createLink['change-email-new']();
    const { body } = await withSettings(instance, { branding }, () => instance.request('GET', path));
    for (const shown of ['Blumen &#38; Söhne', '#7c2d12', email]) expect(body).toContain(shown);
    expect((await submitForm(path)).body).toContain('One more step');
  });

  it('allows the owner to remove all access to an account that was changed to their address', async () => {
    const customer = await registerCustomer(instance);
    const { newEmail, currentToken, newToken } = await requestEmailChange(instance, customer);
    const path = `/confirm-email-change?token=${newToken}`;
    const offer = `/disown?token=${newToken}`;
    const opened = await instance.request('GET', path);
    expect(opened.body).toContain('This account was created on');
    expect(opened.body).not.toContain('<a href');
    expect((await submitForm(offer)).status).toBe(400);
    await submitToken(instance, 'confirm-email-change', currentToken);
    for (const { body } of [await submitForm(path), await instance.request('GET', path)])
      expect(body).toContain(`<a href="${offer}"`);
    const previous = await instance.request('GET', `/confirm-email-change?token=${currentToken}`);
    expect(previous.body).not.toContain('<a href');
    expect((await submitForm(offer)).body).toContain('All access has been removed');
    expect(await instance.listMailKinds(newEmail)).toEqual(['change-email-new', 'reset-password']);
  });

  it('does not renew a link that was replaced by a newer one', async () => {
    const { email, path } = await createLink['accept-invite']();
    await instance.sql('UPDATE one_time_tokens SET voided_at = now() WHERE email = $1', [email]);
    expect((await submitForm(path, { renew: '1' })).status).toBe(400);
    expect((await instance.request('GET', path)).body).not.toContain(email);
  });
});

describe('the language of a page', () => {
  const open = async (path: string, accepted: string): Promise<string> => {
    const { body, headers } = await instance.request('GET', path, {
      headers: { 'accept-language': accepted },
    });
    const language = headers.get('content-language')!;
    expect(body).toContain(`<html lang="${language}">`);
    return language;
  };

  it('depends on the customer, then the browser, then the default of the project', async () => {
    const { path: anyPath } = await createLink['verify-email']();
    expect([await open(anyPath, 'fr'), await open(anyPath, 'fr, de-AT;q=0.5')]).toEqual(['en', 'de']);
    await withSettings(instance, { defaultLocale: 'de' }, async () => {
      expect([await open(anyPath, 'fr'), await open(anyPath, 'en')]).toEqual(['de', 'en']);
    });
    for (const kind of kinds) {
      const { email, path } = await createLink[kind]();
      expect([kind, await open(path, 'en')]).toEqual([kind, 'en']);
      await instance.sql(
        `UPDATE customers SET locale = 'de-CH' WHERE id = (SELECT customer_id FROM one_time_tokens WHERE email = $1 LIMIT 1)`,
        [email],
      );
      expect([kind, await open(path, 'en')]).toEqual([kind, 'de']);
    }
    expect(await open('/verify-email?token=x', 'de')).toBe('de');
    expect(await open('/billing-portal?token=x', 'de')).toBe('de');
  });

  it('stays the same for every response to its form, including errors', async () => {
    const accepted = { 'accept-language': 'de' };
    const { email, path } = await createLink['reset-password']();
    const { body } = await instance.request('GET', path, { headers: accepted });
    expect(body).toContain('Mindestens 8 Zeichen.');
    const rejected = await submitForm(path, { password: 'vq7#Kz' }, accepted);
    expect([rejected.status, rejected.body]).toEqual([422, expect.stringContaining('mindestens 8 Zeichen.')]);
    expect((await submitForm(path, { password: email }, accepted)).body).toContain(
      'weder Ihre E-Mail-Adresse',
    );
    const crossSite = await submitForm(path, {}, { ...accepted, 'sec-fetch-site': 'cross-site' });
    expect([crossSite.status, crossSite.body]).toEqual([403, expect.stringContaining('lang="de"')]);
    expect((await submitForm(path, { password: NEW_PASSWORD }, accepted)).body).toContain(
      'Ihr Passwort wurde geändert',
    );
    expect((await submitForm(path, {}, accepted)).body).toContain('bereits verwendet');
    const expired = await createLink['verify-email']();
    await expire(expired.email);
    expect((await submitForm(expired.path, {}, accepted)).body).toContain('Neuen Link senden');
    await instance.sql('DELETE FROM mails WHERE recipient = $1', [expired.email]);
  });
});

it('a page that sets a password shows errors, and its link stays valid until it is used', async () => {
  const { email, path } = await createLink['reset-password']();
  const rejected = await submitForm(path, { password: 'vq7#Kz' });
  expect(rejected.status).toBe(422);
  expect(rejected.body).toContain('Use at least 8 characters.');
  expect(rejected.body).toContain('role="alert"');
  expect((await submitForm(path, { password: email })).body).toContain('Do not use your email address');
  expect((await submitForm(path, { password: 'zero\0byte-in-it' })).status).toBe(400);
  expect((await submitForm(path, { password: NEW_PASSWORD })).status).toBe(200);
  expect((await instance.login(email, NEW_PASSWORD)).status).toBe(200);
  expect((await submitForm(path, { password: 'a third phrase of mine' })).body).toContain(
    'already been used',
  );
  expect((await instance.login(email, NEW_PASSWORD)).status).toBe(200);
});

describe('a form that is submitted twice', () => {
  /** Each form's fields, the message on its success page, and the event that must be recorded only once. */
  const forms = {
    'reset-password': {
      fields: { password: NEW_PASSWORD },
      text: 'You can now sign in as',
      event: 'password.reset_completed',
    },
    'accept-invite': {
      fields: { password: NEW_PASSWORD },
      text: 'You can now sign in as',
      event: 'password.changed',
    },
    'change-email-new': { fields: {}, text: 'One more step', event: 'email.changed' },
  } as const;
  const countEvents = async (type: string, email: string): Promise<number> => {
    const [row] = await instance.sql<{ id: string }>(
      'SELECT customer_id AS id FROM one_time_tokens WHERE email = $1',
      [email],
    );
    return (await instance.events(row!.id, type)).length;
  };

  it('shows the success page again within a minute, and has one effect', async () => {
    for (const [kind, { fields, text, event }] of Object.entries(forms)) {
      const { email, path } = await createLink[kind as Kind]();
      const parallel = await Promise.all([1, 2, 3].map(() => submitForm(path, fields)));
      const pages = [...parallel, await submitForm(path, fields)];
      for (const { status, body } of pages) {
        expect([kind, status, body]).toEqual([kind, 200, expect.stringContaining(text)]);
        expect([kind, body]).toEqual([kind, pages[0]!.body]);
      }
      const count = event === 'email.changed' ? 0 : 1;
      expect([kind, await countEvents(event, email)]).toEqual([kind, count]);
      if ('password' in fields) expect((await instance.login(email, NEW_PASSWORD)).status).toBe(200);

      const opened = await instance.request('GET', path);
      expect([kind, opened.body]).toEqual([kind, expect.stringContaining('already been used')]);
      await instance.sql(
        `UPDATE one_time_tokens SET consumed_at = consumed_at - interval '1 minute' WHERE email = $1`,
        [email],
      );
      const late = await submitForm(path, fields);
      expect([kind, late.body]).toEqual([kind, expect.stringContaining('already been used')]);
    }
  });

  it('shows the completed change of address again', async () => {
    const customer = await registerCustomer(instance);
    const { newEmail, currentToken, newToken } = await requestEmailChange(instance, customer);
    for (const [token, text] of [
      [currentToken, 'One more step'],
      [newToken, `${newEmail} is now your email address`],
    ] as const) {
      const path = `/confirm-email-change?token=${token}`;
      const pages = await Promise.all([submitForm(path), submitForm(path)]);
      for (const { body } of [...pages, await submitForm(path)]) expect(body).toContain(text);
    }
    expect(await instance.events(customer.id, 'email.changed')).toHaveLength(1);
  });

  it('rejects a second, different password, and counts it as a failed sign-in', async () => {
    const { email, path } = await createLink['reset-password']();
    expect((await submitForm(path, { password: NEW_PASSWORD })).status).toBe(200);
    const other = await submitForm(path, { password: 'a third phrase of mine' });
    expect(other.body).toContain('already been used');
    const [attempts] = await instance.sql<{ attempts: number }>(
      `SELECT tries AS attempts FROM login_attempts WHERE email_hash = sha256(convert_to($1, 'UTF8'))`,
      [email],
    );
    expect(attempts).toEqual({ attempts: 1 });
  });

  it('returns invalid_token from the API (contract)', async () => {
    const { email } = await registerCustomer(instance);
    const token = await requestReset(instance, email);
    expect((await submitToken(instance, 'reset-password', token)).status).toBe(204);
    expect(await submitToken(instance, 'reset-password', token)).toMatchObject({
      status: 400,
      body: { code: 'invalid_token' },
    });
  });
});
