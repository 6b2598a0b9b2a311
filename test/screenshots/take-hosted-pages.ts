import { registerWithTotp } from '../support/customer-factors.js';
import { HostedSignIn } from '../support/hosted-sign-in.js';
import type { OpenIdProvider } from '../support/identity-providers/open-id-provider.js';
import { addProvider } from '../support/social-sign-in.js';
import { PASSWORD, type TestInstance } from '../support/test-instance.js';
import { totpCode } from '../support/totp.js';
import type { Camera } from './camera.js';

const REDIRECT_URL = 'https://app.nordwind.example/signed-in';
const EMAIL = 'mara.lind@nordwind.example';

const settings = {
  redirectUrls: [REDIRECT_URL],
  signIn: { emailCode: true, passkey: true },
  mfa: 'optional',
  branding: { displayName: 'Nordwind', color: '#0f766e' },
};

/** Changes the first project's settings. */
const changeSettings = (instance: TestInstance, changed: object): Promise<unknown> =>
  instance.requestWithSecretKey('PATCH', `/api/v1/projects/${instance.credentials.projectId}`, {
    settings: changed,
  });

/** Enables every sign-in method on the hosted sign-in page. */
export async function offerAllMethods(instance: TestInstance, provider: OpenIdProvider): Promise<void> {
  await changeSettings(instance, settings);
  const { projectId: id, publishableKey } = instance.credentials;
  const { issuer } = provider;
  for (const [slug, name] of Object.entries({ google: 'Google', github: 'GitHub' }))
    await addProvider(instance, { id, publishableKey }, provider, { type: 'oidc', issuer, slug, name });
}

/** Takes screenshots of the hosted sign-in page in one language. */
export async function takeHostedPages(
  camera: Camera,
  instance: TestInstance,
  language: 'en' | 'de',
): Promise<void> {
  const { page } = camera;
  const open = (more: Record<string, string> = {}) =>
    page.goto(new HostedSignIn(instance, REDIRECT_URL).url({ ui_locales: language, ...more }));
  const take = (name: string) => camera.take(`hosted-${name}-${language}`, true);
  const signIn = async (email: string, password = PASSWORD): Promise<void> => {
    await open({ login_hint: email });
    await page.locator('input[name=password]').fill(password);
    await page.locator('button[type=submit]').first().click();
  };
  await open();
  await take('sign-in');
  await signIn(EMAIL, 'a wrong password');
  await take('wrong-password');
  for (const screen of ['sign_up', 'forgot_password', 'email_code', 'check_inbox', 'reset_sent']) {
    await open({ screen, login_hint: EMAIL });
    await take(screen.replaceAll('_', '-'));
  }
  await open({ redirect_url: 'https://elsewhere.example' });
  await take('incorrect-query');
  await signIn((await registerWithTotp(instance)).email);
  await take('second-factor');
  const { body } = await instance.register();
  await changeSettings(instance, { mfa: 'required' });
  await signIn(body.customer.email as string);
  await take('enrollment');
  const secret = (await page.locator('code').textContent())!.replaceAll(' ', '');
  await page.locator('input[name=code]').fill(totpCode(secret));
  await page.locator('button[type=submit]').first().click();
  await page.locator('.codes').waitFor();
  await take('recovery-codes');
  await changeSettings(instance, { mfa: 'optional' });
}
