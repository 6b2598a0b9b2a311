import decodeQR from 'qr/decode.js';
import type { Page, Route } from 'playwright-core';
import { seriousViolations } from '../support/accessibility.js';
import { describeBrowser, TestBrowser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { TestInstance } from '../support/test-instance.js';
import { insertOperator, signIn } from '../support/operator.js';
import { totpCode } from '../support/totp.js';
import { uniqueEmail } from '../support/unique-email.js';

const PASSWORD = 'an unusual long phrase';
/** A name that means this machine, without being one of those that browsers trust over plain http. */
const OTHER_HOST = 'gatehouse.example';
const COOKIE = '__Host-gatehouse_operator';
/** What Chromium says of every answer of 400 and above; it is no fault of the page. */
const REFUSED = /^Failed to load resource: the server responded with a status of 4/;

const fill = async (page: Page, fields: Record<string, string>): Promise<void> => {
  for (const [name, text] of Object.entries(fields)) await page.locator(`input[name=${name}]`).fill(text);
  await page.locator('button[type=submit]').click();
};
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const shows = async (page: Page, name: string): Promise<void> => heading(page, name).waitFor();

/** What a camera would read: the squares of the drawing, each of them 4 pixels wide. */
async function textOfQrCode(page: Page): Promise<string> {
  const svg = page.getByRole('img', { name: /QR/ });
  const size = Number((await svg.getAttribute('viewBox'))!.split(' ')[2]) * 4;
  const data = new Uint8Array(size * size * 4).fill(255);
  for (const [, x, y] of (await svg.locator('path').getAttribute('d'))!.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) {
    for (let i = 0; i < 16; i++) {
      const at = ((Number(y) * 4 + (i >> 2)) * size + Number(x) * 4 + (i & 3)) * 4;
      data.fill(0, at, at + 3);
    }
  }
  return decodeQR({ width: size, height: size, data });
}

describeBrowser('CO-01: signing in to the console', () => {
  let instance: TestInstance;
  let browser: TestBrowser;
  beforeAll(async () => {
    instance = await TestInstance.start({ workers: 0 });
    browser = await TestBrowser.launch([`--host-resolver-rules=MAP ${OTHER_HOST} 127.0.0.1`]);
  });
  afterAll(async () => {
    await browser?.close();
    await instance?.stop();
  });
  afterEach(() => {
    const faults = browser.complaints.splice(0).filter((text) => !REFUSED.test(text));
    expect(faults).toEqual([]);
  });

  /** A page of somebody who is signed in by a cookie. */
  async function signedIn(path: string): Promise<Page> {
    const { cookie } = await insertOperator(instance);
    const page = await browser.open('about:blank');
    await page
      .context()
      .addCookies([{ name: COOKIE, value: cookie!, url: instance.baseUrl.replace('http:', 'https:') }]);
    await page.goto(`${instance.baseUrl}/console${path}`);
    return page;
  }
  const stored = (page: Page) => page.evaluate('JSON.stringify([localStorage, sessionStorage])');

  it('takes a password, enrolls an authenticator, gives recovery codes and goes where one wanted to', async () => {
    const page = await browser.open(`${instance.baseUrl}/console/events?type=customer.created`);
    await shows(page, 'Sign in');
    expect(await seriousViolations(page)).toEqual([]);
    const fields = await page.locator('input').evaluateAll((all) => all.map((it) => it.autocomplete));
    expect(fields).toEqual(['username', 'current-password']);
    const { email, password } = instance.credentials.operator;
    await fill(page, { username: email, password });

    await shows(page, 'Set up your authenticator');
    expect(await seriousViolations(page)).toEqual([]);
    await browser.shoot(page, 'console-enrollment');
    const secret = (await page.locator('code').textContent())!.replace(/\s/g, '');
    const uri = new URL(await textOfQrCode(page));
    expect([uri.protocol, uri.searchParams.get('secret')]).toEqual(['otpauth:', secret]);
    await fill(page, { code: '000000' });
    await page.getByText('This code is wrong').waitFor();
    await fill(page, { code: totpCode(secret) });

    await shows(page, 'Keep your recovery codes');
    expect(await seriousViolations(page)).toEqual([]);
    const codes = await page.getByRole('list', { name: 'Recovery codes' }).locator('li').allTextContents();
    expect(codes).toHaveLength(10);
    const go = page.getByRole('button', { name: 'Continue' });
    expect(await go.isDisabled()).toBe(true);
    await page.getByLabel('I have kept them').check();
    await go.click();
    await shows(page, 'Events');
    expect(page.url()).toBe(`${instance.baseUrl}/console/events?type=customer.created`);

    await page.getByRole('button', { name: /Your menu/ }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await shows(page, 'Sign in');
    await fill(page, { username: email, password });
    await shows(page, 'Second factor');
    expect(await seriousViolations(page)).toEqual([]);
    expect(await page.locator('input').getAttribute('autocomplete')).toBe('one-time-code');
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await fill(page, { code: codes[0]! });
    await shows(page, 'Overview');
    expect(await stored(page)).not.toMatch(new RegExp([secret, password, ...codes].join('|')));
    await page.context().close();
  });

  it('leads back to where one was when the session ends meanwhile', async () => {
    const page = await signedIn('/customers?status=disabled');
    await shows(page, 'Customers');
    // Not before the click: what the page asks by itself would hear of it first.
    const ends = async (route: Route): Promise<void> => {
      await instance.sql('DELETE FROM operator_sessions');
      await route.continue();
    };
    await page.route('**/operator/v1/webhooks/endpoints?*', ends, { times: 1 });
    await page.getByRole('link', { name: 'Endpoints' }).click();
    await page.getByText('Your session has ended').waitFor();
    expect(page.url()).toBe(`${instance.baseUrl}/console/sign-in?to=%2Fendpoints`);
    await page.context().close();
  });

  it.each(['//evil.example', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)'])(
    'goes nowhere else for ?to=%s',
    async (to) => {
      const page = await signedIn(`/sign-in?to=${encodeURIComponent(to)}`);
      await shows(page, 'Overview');
      expect(page.url()).toBe(`${instance.baseUrl}/console`);
      await page.context().close();
    },
  );

  it('says when to try again after too many failures', async () => {
    const page = await browser.open(`${instance.baseUrl}/console/sign-in`);
    const credentials = { username: uniqueEmail(), password: 'not the right one' };
    for (let tries = 0; tries < 10; tries++) {
      await instance.request('POST', '/operator/v1/session', {
        body: { email: credentials.username, password: credentials.password },
        headers: { 'x-gatehouse-console': '1' },
      });
    }
    await fill(page, credentials);
    await page.getByText(/Try again in 1\d min, at \d\d:\d\d:\d\d/).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.context().close();
  });

  it('says over plain http from elsewhere that https is needed, and asks for no password', async () => {
    const { port } = new URL(instance.baseUrl);
    const page = await browser.open(`http://${OTHER_HOST}:${port}/console/`);
    await page.getByText('The console needs https').waitFor();
    expect(await page.locator('input').count()).toBe(0);
    expect(await seriousViolations(page)).toEqual([]);
    await browser.shoot(page, 'console-needs-https');
    for (const host of ['localhost', '127.0.0.1']) {
      await page.goto(`http://${host}:${port}/console/`);
      await page.locator('input[name=password]').waitFor();
    }
    await page.context().close();
  });

  it('asks whoever comes by the link of a new instance who they are, and refuses another token', async () => {
    const page = await browser.open(`${instance.baseUrl}/console/setup#token=${'x'.repeat(43)}`);
    await shows(page, 'Set up this instance');
    expect(page.url()).toBe(`${instance.baseUrl}/console/setup`);
    expect(await seriousViolations(page)).toEqual([]);
    await fill(page, { username: uniqueEmail(), 'new-password': PASSWORD });
    await page.getByText('This link is used').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.context().close();
  });

  it('lets in by an invitation, whose token leaves the address at once', async () => {
    const admin = await insertOperator(instance);
    const invited = await admin.call('POST', '/operators', { email: uniqueEmail(), role: 'viewer' });
    const page = await browser.open(invited.body.invitationUrl as string);
    await shows(page, 'Welcome to Gatehouse');
    expect(page.url()).toBe(`${instance.baseUrl}/console/invitation`);
    expect(await seriousViolations(page)).toEqual([]);
    expect(await page.locator('input[name=new-password]').getAttribute('autocomplete')).toBe('new-password');
    await fill(page, { name: 'Ada', 'new-password': 'short' });
    await page.getByText('Use at least 12 characters').waitFor();
    await fill(page, { 'new-password': PASSWORD });
    await shows(page, 'Set up your authenticator');
    await page.goto(`${invited.body.invitationUrl as string}`);
    await fill(page, { 'new-password': PASSWORD });
    await page.getByText('This link is used').waitFor();
    await page.context().close();
  });

  it('says of what it asks whether somebody has touched the page in the last minute', async () => {
    const page = await signedIn('/deliveries');
    await shows(page, 'Deliveries');
    await page.clock.install();
    // Noted in the page itself: it asks again only once it has been answered, and its clock must not run ahead of that.
    await page.addInitScript(`{
      const ask = window.fetch;
      window.said = [];
      window.underWay = 0;
      window.fetch = (...given) => {
        const request = new Request(...given);
        if (!request.url.includes('/dead-letters/count')) return ask(request);
        window.said.push(request.headers.get('x-gatehouse-console'));
        window.underWay += 1;
        return ask(request).finally(() => (window.underWay -= 1));
      };
    }`);
    await page.reload();
    await shows(page, 'Deliveries');
    /** What the badge says within so many seconds. */
    const said = async (seconds: number): Promise<Set<string>> => {
      await page.evaluate('window.said = []');
      for (let second = 0; second < seconds; second += 5) {
        await page.clock.runFor(5_000);
        await eventually('its answer', () => page.evaluate<boolean>('window.underWay === 0'));
        await page.waitForTimeout(20);
      }
      return new Set(await page.evaluate<string[]>('window.said'));
    };
    expect(await said(45)).toEqual(new Set(['1']));
    await said(30);
    expect(await said(120)).toEqual(new Set(['resting']));
    await page.mouse.move(200, 200);
    expect(await said(45)).toEqual(new Set(['1']));
    await page.context().close();
  });

  it('CO-05: changes the password and the recovery codes, and keeps neither', async () => {
    const admin = await signIn(instance, await newOperator());
    const page = await browser.open('about:blank');
    await page
      .context()
      .addCookies([{ name: COOKIE, value: admin.cookie!, url: instance.baseUrl.replace('http:', 'https:') }]);
    await page.goto(`${instance.baseUrl}/console/account`);
    await shows(page, 'Account');
    const form = page.getByRole('region', { name: 'Password', exact: true });
    await form.locator('input[name=current-password]').fill('not the right one');
    await form.locator('input[name=new-password]').fill('another unusual phrase');
    await form.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('This is not your password').waitFor();
    await form.locator('input[name=current-password]').fill(PASSWORD);
    await form.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Password changed').waitFor();
    await page.locator('input[name=code]').fill(admin.recoveryCodes[0]!);
    await page.getByRole('button', { name: 'Make new codes' }).click();
    const list = page.getByRole('list', { name: 'Recovery codes' });
    await list.waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    expect(await stored(page)).not.toMatch(/phrase|[a-z0-9]{5}-[a-z0-9]{5}/);
    await page.getByLabel('I have kept them').check();
    await page.getByRole('button', { name: 'Continue' }).click();
    await list.waitFor({ state: 'detached' });
    await page.context().close();
  });

  /** Somebody with a password of their own, who has no authenticator yet. */
  async function newOperator(): Promise<{ email: string; password: string }> {
    const admin = await insertOperator(instance);
    const email = uniqueEmail();
    const { body } = await admin.call('POST', '/operators', { email, role: 'viewer' });
    const token = new URL(body.invitationUrl as string).hash.slice('#token='.length);
    await admin.call('POST', '/invitations/accept', { token, password: PASSWORD });
    return { email, password: PASSWORD };
  }
});
