import { withSettings } from '../support/customers.js';
import { checkCases } from '../support/check-cases.js';
import { eventually } from '../support/eventually.js';
import { signIn } from '../support/operator-client.js';
import { PASSWORD, TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

/** Sends a request with the publishable key and a value of `Accept-Language`. */
const post = (path: string, body: object, accepted?: string) =>
  instance.request('POST', `/api/v1/auth/${path}`, {
    body,
    headers: {
      'x-publishable-key': instance.credentials.publishableKey,
      ...(accepted === undefined ? {} : { 'accept-language': accepted }),
    },
  });

const register = async (locale?: string, accepted?: string): Promise<string> => {
  const email = uniqueEmail();
  const body = { email, password: PASSWORD, ...(locale === undefined ? {} : { locale }) };
  expect((await post('register', body, accepted)).status).toBe(201);
  return email;
};

/** Returns the language of the newest email of a kind, as its HTML declares it. */
const languageOf = async (email: string, kind: string): Promise<string> => {
  const mail = await eventually(`an email (${kind})`, async () => (await instance.listMails(email, kind))[0]);
  return /<html lang="([^"]*)">/.exec(mail['html'] as string)![1]!;
};

type Case = [locale: string | undefined, accepted: string | undefined, expected: string];
const checkLanguages = (cases: Case[]) =>
  checkCases(
    cases.map(
      ([locale, accepted, expected]) => [`${locale}, ${accepted}`, locale, accepted, expected] as const,
    ),
    async (locale, accepted, expected) =>
      expect(await languageOf(await register(locale, accepted), 'verify-email')).toBe(expected),
  );

describe('the language of an email', () => {
  it('is that of the customer, or else the best of the request, or else English', async () => {
    await checkLanguages([
      ['de', undefined, 'de'],
      ['de-AT', 'en', 'de'],
      ['en-GB', 'de', 'en'],
      ['fr', 'de', 'en'],
      [undefined, 'fr, de-CH;q=0.8, en;q=0.1', 'de'],
      [undefined, 'en, de', 'en'],
      [undefined, 'fr', 'en'],
      [undefined, undefined, 'en'],
      [undefined, `,;q=,*, de_AT, "><script>, ${'x'.repeat(2_000)}`, 'en'],
    ]);
  });

  it('is the default of the project if no preferred language has a text', async () => {
    await withSettings(instance, { defaultLocale: 'DE-ch' }, () =>
      checkLanguages([
        [undefined, undefined, 'de'],
        ['fr', undefined, 'de'],
        [undefined, 'fr', 'de'],
        [undefined, 'en', 'en'],
        ['en', undefined, 'en'],
      ]),
    );
  });

  it('does not become the locale of the customer, and follows each request and each change of the locale', async () => {
    const email = await register(undefined, 'de');
    const { accessToken } = (await instance.login(email)).body.tokens;
    const me = (method: string, body?: object) =>
      instance.requestWithAccessToken(accessToken, method, '/api/v1/me', body);
    expect((await me('GET')).body.locale).toBeNull();
    await post('forgot-password', { email }, 'en');
    expect(await languageOf(email, 'reset-password')).toBe('en');
    expect((await me('PATCH', { locale: 'de' })).status).toBe(200);
    const passwords = { currentPassword: PASSWORD, newPassword: 'quite another phrase' };
    await instance.requestWithAccessToken(accessToken, 'POST', '/api/v1/me/password', passwords);
    expect(await languageOf(email, 'password-changed')).toBe('de');
  });

  it('is not that of the operator who sends it', async () => {
    const admin = await signIn(instance);
    const email = uniqueEmail();
    const { body } = await instance.requestWithSecretKey('POST', '/api/v1/customers', { email });
    const path = `/customers/${body.id}/resend-invitation`;
    expect((await admin.request('POST', path, undefined, { 'accept-language': 'de' })).status).toBe(202);
    expect(await languageOf(email, 'accept-invite')).toBe('en');
  });
});
