import type { Page } from 'playwright-core';
import { seriousViolations } from '../support/accessibility.js';
import { describeBrowser, TestBrowser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { TestInstance } from '../support/test-instance.js';
import { insertOperator, signIn } from '../support/operator.js';
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

describeBrowser('limits, setup and account of the console', () => {
  let instance: TestInstance;
  let browser: TestBrowser;
  beforeAll(async () => {
    instance = await TestInstance.shared({ workers: 0 });
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

  it('asks whoever comes by the link of a new instance who they are, and refuses another token', async () => {
    const page = await browser.open(`${instance.baseUrl}/console/setup#token=${'x'.repeat(43)}`);
    await shows(page, 'Set up this house');
    expect(page.url()).toBe(`${instance.baseUrl}/console/setup`);
    expect(await seriousViolations(page)).toEqual([]);
    await fill(page, { username: uniqueEmail(), 'new-password': PASSWORD });
    await page.getByText('This link is used').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
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
