import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { seriousViolations } from '../support/accessibility.js';
import { describeBrowser, TestBrowser } from '../support/browser.js';
import { openScreen } from '../support/console-screens.js';
import { TestInstance } from '../support/test-instance.js';
import { insertOperator, inviteOperator, OperatorClient, signIn } from '../support/operator.js';
import { uniqueEmail } from '../support/unique-email.js';

/** What Chromium says of every answer of 400 and above; it is no fault of the page. */
const REFUSED = /^Failed to load resource: the server responded with a status of 4/;

describeBrowser('customers, projects, organizations and operators in the console', () => {
  let instance: TestInstance;
  let browser: TestBrowser;
  let admin: OperatorClient;
  beforeAll(async () => {
    instance = await TestInstance.shared({ workers: 0 });
    admin = await insertOperator(instance);
    browser = await TestBrowser.launch();
  });
  afterAll(async () => {
    await browser?.close();
    await instance?.stop();
  });
  afterEach(() => {
    expect(browser.complaints.splice(0).filter((text) => !REFUSED.test(text))).toEqual([]);
  });

  const signedIn = (path: string, operator = admin): Promise<Page> =>
    openScreen(browser, instance, operator, path);

  const newProject = async (): Promise<{ id: string; path: string }> => {
    const mark = randomUUID().slice(0, 8);
    const { organizationId } = instance.credentials;
    const body = { organizationId, name: `Kept ${mark}`, slug: `kept-${mark}` };
    const { id } = (await admin.call('POST', '/projects', body)).body;
    return { id, path: `/projects/${id}` };
  };
  const nameOf = (page: Page) => page.getByRole('region', { name: 'General' }).getByLabel('Name');

  it('one makes an organization, whose slug follows its name, and a project in it', async () => {
    const mark = randomUUID().slice(0, 8);
    const page = await signedIn('/organizations');
    await page.getByRole('button', { name: 'New organization' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill(`The Shop, Ltd. ${mark}`);
    expect(await dialog.getByLabel('Slug').inputValue()).toBe(`the-shop-ltd-${mark}`);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: `The Shop, Ltd. ${mark}` }).waitFor();

    await page.getByRole('link', { name: 'New project' }).click();
    await dialog.getByLabel('Name').fill('First');
    await dialog.getByLabel('Slug').fill('x');
    await dialog.getByLabel('Name').fill('First one');
    expect(await dialog.getByLabel('Slug').inputValue()).toBe('x');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('Must be 3 to 48 of a-z, 0-9 and -', { exact: true }).waitFor();
    await dialog.getByLabel('Slug').fill('first');
    expect(await seriousViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'First one' }).waitFor();
    expect(page.url()).toMatch(/\/console\/projects\/[0-9a-f-]{36}\?tab=keys$/);
    await page.context().close();
  });

  it('a customer without a password is invited, one with a password gets a reset', async () => {
    const create = async (more: object): Promise<string> =>
      (await instance.server('POST', '/api/v1/customers', { email: uniqueEmail(), ...more })).body.id;
    const offers = async (id: string): Promise<string[]> => {
      const page = await signedIn(`/customers/${id}`);
      await page.getByRole('button', { name: 'Help' }).click();
      await page.getByRole('menuitem').first().waitFor();
      const texts = await page.getByRole('menuitem').allTextContents();
      await page.context().close();
      return texts;
    };
    expect(await offers(await create({ emailVerified: true }))).toEqual(['Send invitation', 'Unlock']);
    const password = 'an unusual long phrase';
    expect(await offers(await create({ password }))).toEqual([
      'Send password reset',
      'Resend verification',
      'Unlock',
    ]);
  });

  it('CO-01: everybody sees where they are signed in, ends one of it, and all others', async () => {
    const somebody = await inviteOperator(await insertOperator(instance), 'viewer');
    const { email } = somebody.operator;
    const again = (): Promise<OperatorClient> => signIn(instance, { email, password: somebody.password });
    const stateOf = async (client: OperatorClient) => (await client.call('GET', '/session')).body.state;
    const others = [await again(), await again(), await again()];
    const page = await signedIn('/account', somebody);
    const region = page.getByRole('region', { name: 'Where you are signed in' });
    const entries = region.getByRole('region', { name: 'Session', exact: true });
    await entries.nth(3).waitFor();
    expect(await entries.filter({ hasText: 'This one' }).count()).toBe(1);
    expect(await entries.filter({ hasText: 'This one' }).getByRole('button').count()).toBe(0);
    expect(await seriousViolations(page)).toEqual([]);

    await entries.first().getByRole('button', { name: /^End/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End it' }).click();
    await entries.nth(3).waitFor({ state: 'detached' });
    expect(await Promise.all(others.map(stateOf))).toEqual(['signed_in', 'signed_in', 'signed_out']);
    await region.getByRole('button', { name: 'End all others' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End all others' }).click();
    await entries.nth(1).waitFor({ state: 'detached' });
    expect(await Promise.all(others.map(stateOf))).toEqual(['signed_out', 'signed_out', 'signed_out']);
    expect(await stateOf(somebody)).toBe('signed_in');

    await new OperatorClient(instance).call('POST', '/session', { email, password: somebody.password });
    await page.reload();
    await entries.first().getByText('Password only, waiting for the code').waitFor();
    expect(await region.getByText('Password only').count()).toBe(1);
    await page.context().close();
  });

  it('a link opens an entry of the audit log that the list does not hold; closing it moves nothing', async () => {
    const target = randomUUID();
    await instance.sql(
      `INSERT INTO audit_log (id, actor_type, actor_id, action, target_type, target_id, details, created_at)
       SELECT gen_random_uuid(), 'operator', $1, 'operator.updated', 'operator', $2, '{"changed":["role"]}', now()
       FROM generate_series(1, 60)`,
      [admin.operator.id, target],
    );
    const [last] = await instance.sql<{ id: string }>(
      `SELECT id FROM audit_log WHERE target_id = $1 ORDER BY id LIMIT 1`,
      [target],
    );
    const page = await signedIn(`/audit?targetId=${target}&entry=${last!.id}`);
    const drawer = page.getByRole('dialog', { name: 'operator.updated' });
    await drawer.getByText(admin.operator.email).waitFor();
    await drawer.getByRole('button', { name: 'Close' }).click();
    await drawer.waitFor({ state: 'hidden' });

    const rows = page.getByRole('table', { name: 'entries' }).locator('tbody tr');
    await rows.nth(49).getByRole('link', { name: 'operator.updated' }).click();
    await drawer.getByText(admin.operator.email).waitFor();
    const scrolled = await page.evaluate<number>('window.scrollY');
    expect(scrolled).toBeGreaterThan(500);
    await drawer.getByRole('button', { name: 'Close' }).click();
    await drawer.waitFor({ state: 'hidden' });
    expect(await page.evaluate<number>('window.scrollY')).toBe(scrolled);
    await page.context().close();
  });

  it('a viewer who follows a link to the mailbox is told that it is not for them', async () => {
    const page = await signedIn('/mailbox', await insertOperator(instance, 'viewer'));
    await page.getByText('For operators and admins alone').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await page.context().close();
  });

  it('saves the settings of a project, and keeps what was typed meanwhile', async () => {
    const { path } = await newProject();
    const page = await signedIn(path);
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const asked = page.waitForRequest((request) => request.method() === 'PATCH');
    await page.route(/operator\/v1\/projects\//, async (route) => {
      if (route.request().method() === 'PATCH') await held;
      await route.continue();
    });
    await nameOf(page).fill('Sent');
    const bar = page.getByRole('region', { name: 'Unsaved changes' });
    await bar.getByRole('button', { name: 'Save' }).click();
    await asked;
    await nameOf(page).fill('Sent, and more');
    release();
    await page.getByRole('heading', { level: 1, name: 'Sent' }).waitFor();
    await page.getByText('Saved; it is in force.').waitFor();
    expect(await nameOf(page).inputValue()).toBe('Sent, and more');
    await bar.getByText('1 unsaved change').waitFor();
    await bar.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sent, and more' }).waitFor();
    await bar.waitFor({ state: 'detached' });
    await page.context().close();
  });
});
