import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { seriousViolations } from '../support/accessibility.js';
import { describeBrowser, TestBrowser } from '../support/browser.js';
import { openScreen } from '../support/console-screens.js';
import { TestInstance } from '../support/test-instance.js';
import { insertOperator, type OperatorClient } from '../support/operator.js';
import { uniqueEmail } from '../support/unique-email.js';

/** What Chromium says of every answer of 400 and above; it is no fault of the page. */
const REFUSED = /^Failed to load resource: the server responded with a status of 4/;

describeBrowser('empty lists, searches, unsaved changes and missing records in the console', () => {
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

  it('a new instance says what there will be, and what to do first', async () => {
    const page = await signedIn('/dead-letters');
    await page.getByText('Nothing waiting').waitFor();
    await page.getByRole('link', { name: 'See all deliveries' }).click();
    await page.getByText('No deliveries yet').waitFor();
    await page.getByRole('link', { name: 'Go to the endpoints' }).click();
    await page.getByText('No endpoints yet').waitFor();
    await page.getByRole('button', { name: 'Add an endpoint' }).last().click();
    await page.getByRole('dialog').getByLabel(/URL/).waitFor();
    await page.context().close();
  });

  it.each(['organizations', 'projects', 'operators'])('the search of %s is in the address', async (noun) => {
    const mark = randomUUID().slice(0, 8);
    const { organizationId } = instance.credentials;
    const bodies = {
      organizations: { name: `Found ${mark}`, slug: `found-${mark}` },
      projects: { organizationId, name: `Found ${mark}`, slug: `found-${mark}` },
      operators: { email: `found-${mark}@example.com`, role: 'viewer' },
    };
    expect(await admin.call('POST', `/${noun}`, bodies[noun as keyof typeof bodies])).toMatchObject({
      status: 201,
    });
    const page = await signedIn(`/${noun}`);
    const rows = page.getByRole('table', { name: noun }).locator('tbody tr');
    await rows.nth(1).waitFor();
    await page.getByRole('searchbox', { name: 'Search' }).fill(noun === 'operators' ? mark : `found-${mark}`);
    await page.waitForURL(/[?]q=/);
    await page.getByText(new RegExp(`^1 ${noun.slice(0, -1)}$`)).waitFor();
    // The count and the rows are two answers.
    await rows.nth(1).waitFor({ state: 'detached' });
    expect(await rows.allTextContents()).toEqual([expect.stringContaining(mark)]);
    await page.goto(`${page.url()}x`);
    await page.getByText('No match').waitFor();
    expect(await rows.count()).toBe(0);
    await page.context().close();
  });

  it('a link to what is not there says so, and leads to the list', async () => {
    const page = await signedIn('/account');
    const notice = page.getByRole('alert');
    for (const [list, id] of [
      ['customers', randomUUID()],
      ['projects', randomUUID()],
      ['organizations', 'half-an-i'],
      ['endpoints', `ep_${randomUUID()}`],
      ['events', 'evt_1'],
      ['deliveries', `dlv_${randomUUID()}`],
      ['batches', `rdl_${randomUUID()}`],
    ]) {
      await page.goto(`${instance.baseUrl}/console/${list}/${id}`);
      await notice.getByText('Nothing is here').waitFor();
      expect(await notice.textContent()).not.toMatch(/Request|credential|[0-9a-f]{8}-/);
      await notice.getByRole('link', { name: `Go to ${list}` }).waitFor();
    }
    expect(await seriousViolations(page)).toEqual([]);
    await notice.getByRole('link', { name: 'Go to batches' }).click();
    await page.waitForURL(`${instance.baseUrl}/console/batches`);
    await page.context().close();
  });

  it('goes on where the browser believes to be offline: the instance may be next door', async () => {
    const page = await signedIn('/account');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.evaluate(`void window.dispatchEvent(new Event('offline'))`);
    await page.getByRole('link', { name: 'Organizations' }).click();
    await page.getByRole('table', { name: 'organizations' }).waitFor();
    await page.getByRole('button', { name: 'New organization' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill(`Offline ${randomUUID().slice(0, 8)}`);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: /^Offline/ }).waitFor();
    await page.context().close();
  });

  it('what was done to a customer is counted, and leads to its entry in the audit log', async () => {
    const { body } = await instance.server('POST', '/api/v1/customers', { email: uniqueEmail() });
    const page = await signedIn(`/customers/${body.id as string}?tab=audit`);
    await page.getByText('1 entry', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'customer.created' }).click();
    await page.getByRole('dialog', { name: 'customer.created' }).waitFor();
    expect(new URL(page.url()).searchParams.get('targetId')).toBe(body.id);
    await page.context().close();
  });

  it('settings of a project are left unsaved by "Back", or the tab reloaded, only when asked first', async () => {
    const { path } = await newProject();
    const page = await signedIn('/projects');
    await page.locator(`a[href$="${path}"]`).click();
    await nameOf(page).fill('Never saved');
    const asked = page.waitForEvent('dialog');
    const reloaded = page.reload();
    const question = await asked;
    expect(question.type()).toBe('beforeunload');
    await question.accept();
    await reloaded;

    await nameOf(page).fill('Never saved');
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
    await page.evaluate('history.back()');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await nameOf(page).inputValue()).toBe('Never saved');
    await page.evaluate('history.back()');
    await dialog.getByRole('button', { name: 'Leave' }).click();
    await page.waitForURL(`${instance.baseUrl}/console/projects`);
    await dialog.waitFor({ state: 'hidden' });
    await page.context().close();
  });
});
