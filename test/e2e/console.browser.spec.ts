import type { Page } from 'playwright-core';
import { describeBrowser, TestBrowser } from '../support/browser.js';
import { openScreen } from '../support/console-screens.js';
import { deadLetters, emit, hastily, multiply } from '../support/dead-letters.js';
import { eventually } from '../support/eventually.js';
import { TestInstance } from '../support/test-instance.js';
import { insertOperator } from '../support/operator.js';
import { Receiver, status } from '../support/receiver.js';
import { totpCode } from '../support/totp.js';
import { uniqueEmail } from '../support/unique-email.js';

describeBrowser('the console in a browser', () => {
  let instance: TestInstance;
  let receiver: Receiver;
  let browser: TestBrowser;
  let page: Page;
  beforeAll(async () => {
    instance = await TestInstance.start({ env: { ...hastily, RATE_LIMITS: 'off' } });
    receiver = await Receiver.start();
    browser = await TestBrowser.launch();
  });
  afterAll(async () => {
    await browser?.close();
    await instance?.stop();
    await receiver?.stop();
  });
  // Each is about its own endpoint.
  afterEach(() => instance.sql(`UPDATE webhook_endpoints SET status = 'deleted'`));

  const go = (path: string): Promise<unknown> => page.goto(`${instance.baseUrl}/console${path}`);
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const dialog = () => page.getByRole('dialog');
  const inDialog = (name: string | RegExp) => dialog().getByRole('button', { name });
  const see = (text: string | RegExp) => page.getByText(text).filter({ visible: true }).first().waitFor();

  /** An endpoint with so many dead letters, whose target is well again and has been asked for nothing. */
  const dead = async (count: number) => {
    receiver.otherwise = status(500, '<b>body</b>');
    const { id } = await instance.createEndpoint(receiver.url, ['customer.created']);
    await emit(instance, count);
    const ids = await deadLetters(instance, id, count);
    receiver.otherwise = status(200);
    receiver.requests.length = 0;
    return { id, ids };
  };

  it('an operator signs in with a password and an authenticator, signs out, and in again (CO-01)', async () => {
    const { email, password } = instance.credentials.operator;
    page = await browser.open(`${instance.baseUrl}/console/dead-letters`);
    const enter = async () => {
      await page.getByLabel('E-mail').fill(email);
      await page
        .getByLabel('Password', { exact: true })
        .or(page.getByLabel(/^Password/))
        .first()
        .fill(password);
      await button('Sign in').click();
    };
    await enter();
    await page.getByRole('heading', { name: 'Set up your authenticator' }).waitFor();
    const secret = (await page.locator('code').first().innerText()).replaceAll(' ', '');
    await page.getByLabel('Code that the app shows now').fill(totpCode(secret));
    await button('Continue').click();
    await page.getByRole('heading', { name: 'Keep your recovery codes' }).waitFor();
    expect(await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').count()).toBe(10);
    await page.getByLabel('I have kept them').check();
    await button('Continue').click();
    // Where they wanted to go.
    await page.getByRole('heading', { name: 'Dead letters' }).waitFor();

    await button(/^Your menu/).click();
    await button('Sign out').click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.context().cookies()).toEqual([]);
    await enter();
    await page.getByRole('heading', { name: 'Second factor' }).waitFor();
    // The code of a moment ago is used up.
    await page.getByRole('textbox').first().fill(totpCode(secret, 1));
    await button('Continue').click();
    await page.getByRole('heading', { name: /Overview|Dead letters/ }).waitFor();
  });

  it('finds a dead letter, reads why, redelivers it and watches it succeed', async () => {
    const { ids } = await dead(1);
    await go('/dead-letters');
    await page.getByRole('link', { name: 'customer.created' }).first().click();
    await page.waitForURL(new RegExp(`/deliveries/${ids[0]}`));
    await see('500');
    await see('<b>body</b>');
    await button('Redeliver').first().click();
    await inDialog('Redeliver').dblclick();
    await dialog().waitFor({ state: 'hidden' });
    await eventually('the redelivery', () => receiver.requests.length === 1);
    await see('Succeeded');
    // A double click makes one.
    const rows = await instance.sql(`SELECT FROM deliveries WHERE redelivery_of = $1`, [ids[0]!.slice(4)]);
    expect(rows).toHaveLength(1);
  });

  it('leads from the worst endpoints to what failed there, in the project that was looked at', async () => {
    const { id } = await dead(3);
    const { projectId } = instance.credentials;
    await go(`/?project=${projectId}`);
    const failed = page.getByRole('link', { name: 'failed attempts of this endpoint' });
    await failed.and(page.locator(`[href*="${id}"]`)).click();
    await page.waitForURL('**/console/deliveries?*');
    await see(/\d attempts/);
    const { pathname, searchParams } = new URL(page.url());
    expect([pathname, Object.fromEntries(searchParams)]).toEqual([
      '/console/deliveries',
      { time: '24h', project_id: projectId, endpoint_id: id, success: 'false' },
    ]);
  });

  it('redelivering one of the list takes only that one out of what is selected', async () => {
    const { id, ids } = await dead(3);
    await go(`/dead-letters?endpoint_id=${id}`);
    await page.getByRole('checkbox', { name: 'Select all rows' }).check();
    await see('3 selected');
    await button(`Redeliver ${ids[0]!}`).click();
    await inDialog('Redeliver').click();
    await dialog().waitFor({ state: 'hidden' });
    await see('2 selected');
    await button('Discard').click();
    await dialog()
      .getByLabel(/Reason/)
      .fill('of no use');
    await inDialog(/Discard/).click();
    await dialog().waitFor({ state: 'hidden' });
    expect(await button('Clear selection').count()).toBe(0);
    await see('No match');
  });

  it('an attempt of the list is marked among those of its delivery', async () => {
    const { id } = await dead(1);
    const [first] = await instance.sql<{ id: string }>(
      `SELECT 'att_' || id AS id FROM attempts WHERE endpoint_id = $1 ORDER BY attempts.id LIMIT 1`,
      [id.slice(3)],
    );
    await go(`/deliveries?endpoint_id=${id}`);
    await page.locator(`a[href$="#${first!.id}"]`).click();
    await page.locator(`#${first!.id}[data-target]`).waitFor();
    expect(await page.locator('[data-target]').count()).toBe(1);
  });

  it('redelivers all 300 that match a filter, and exactly those arrive', async () => {
    const { id, ids } = await dead(300);
    await instance.createEndpoint(receiver.url, ['customer.created']);
    receiver.otherwise = status(404);
    await emit(instance, 3);
    await eventually('the others', async () => {
      const [row] = await instance.sql<{ n: number }>(
        `SELECT count(*)::int AS n FROM deliveries WHERE state = 'failed' AND resolution IS NULL AND last_http_status = 404`,
      );
      return row!.n === 6;
    });
    receiver.otherwise = status(200);
    receiver.requests.length = 0;
    const wanted = await instance.sql<{ id: string }>(
      `SELECT 'evt_' || event_id AS id FROM deliveries WHERE id = ANY ($1) ORDER BY 1`,
      [ids.map((each) => each.slice(4))],
    );
    await go(`/dead-letters?endpoint_id=${id}&status_class=5xx`);
    await see('300 dead letters');
    await button('Redeliver all that match').click();
    await dialog().getByText('All that match can be redelivered.').waitFor();
    await dialog()
      .getByLabel(/Reason/)
      .fill('the target is well again');
    await inDialog('Redeliver 300').click();
    await page.waitForURL(/\/batches\/rdl_/);
    await see('Completed');
    await see('300 of 300 done');
    expect(receiver.requests.map(({ event }) => event.id).sort()).toEqual(wanted.map((row) => row.id));
    const { body } = await instance.request('GET', `/operator/v1/webhooks/deliveries/${ids[0]!}`, {
      headers: { cookie: (await insertOperator(instance, 'viewer')).cookieHeader() },
    });
    expect(body.data).toMatchObject({ resolution: 'redelivered', reason: 'the target is well again' });
    // And nothing of what else arrived meanwhile.
    await page.getByRole('link', { name: 'Its attempts' }).click();
    await see('300 attempts');
    expect(await page.getByLabel('Batch id').inputValue()).toMatch(/^rdl_/);
  });

  it('looks further than one answer does, and says so where that is not far enough', async () => {
    const { id, ids } = await dead(1);
    // Newer ones that are not what is looked for, and more than the console looks at by itself.
    await multiply(instance, ids[0]!, 12_000);
    await go(`/dead-letters?endpoint_id=${id}&http_status=500`);
    await page.getByRole('heading', { name: 'Nothing so far' }).waitFor();
    await button('Redeliver all that match').waitFor();
    await button('Look further').click();
    const row = page.locator(`a[href="/console/deliveries/${ids[0]}"]`).first();
    await row.waitFor();
    await instance.sql(
      'DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries WHERE last_http_status = 599 LIMIT 9000)',
    );
    await page.reload();
    await row.waitFor();
    await instance.sql('DELETE FROM deliveries WHERE last_http_status = 599');
  });

  it('says by whom a batch and a dead letter were dealt with, by name', async () => {
    const { id, ids } = await dead(2);
    const operator = await insertOperator(instance, 'operator');
    await operator.call('POST', `/webhooks/deliveries/${ids[0]!}/discard`, { reason: 'of no use' });
    const { body } = await operator.call('POST', '/webhooks/redeliveries', { filter: { endpoint_id: id } });
    await operator.call('POST', `/webhooks/redeliveries/${body.data.id}/start`, { reason: 'again' });
    for (const path of ['/dead-letters?resolution=discarded', '/batches', `/batches/${body.data.id}`]) {
      await go(path);
      await see(operator.operator.email);
    }
  });

  it('finds endpoints by status and URL, says whose they are, and what is with one that is gone', async () => {
    const { id, ids } = await dead(1);
    const other = await instance.createEndpoint('https://other.example.com/hooks');
    await instance.server('POST', `/v1/webhooks/endpoints/${other.id}/disable`);
    await go('/endpoints');
    await see('2 endpoints');
    await page.getByRole('searchbox').fill('https://other.example.com');
    await page.waitForURL(/q=https/);
    await see('1 endpoint');
    await go('/endpoints?status=disabled');
    await see('1 endpoint');
    await page.getByRole('link', { name: 'https://other.example.com/hooks' }).click();
    const { organizationId } = instance.credentials;
    await page.locator(`dd a[href$="/organizations/${organizationId}"]`).waitFor();
    // Nobody asks for it any more, which would be an error in the browser.
    await instance.server('DELETE', `/v1/webhooks/endpoints/${id}`);
    await go(`/deliveries/${ids[0]!}`);
    await see(/Its endpoint has been deleted/);
    expect(await button('Redeliver').isDisabled()).toBe(true);
    await go(`/deliveries?endpoint_id=${id}`);
    await see(/\d attempts/);
    await page.waitForLoadState('networkidle');
  });

  it('cancels a batch', async () => {
    const { id } = await dead(400);
    const waiting: (() => void)[] = [];
    receiver.otherwise = (response) => void waiting.push(() => response.end());
    await go(`/dead-letters?endpoint_id=${id}`);
    await button('Redeliver all that match').click();
    await dialog()
      .getByLabel(/Reason/)
      .fill('too early');
    await inDialog('Redeliver 400').click();
    await button('Cancel the batch').click();
    await inDialog(/Cancel/)
      .last()
      .click();
    await dialog().waitFor({ state: 'hidden' });
    receiver.otherwise = status(200);
    for (const answer of waiting) answer();
    await see('Cancelled');
    await see('Never sent');
    const { body } = await instance.server('GET', '/v1/webhooks/redeliveries');
    // Of an operator, who is of no organization.
    expect(body.data).toEqual([]);
    const [batch] = await instance.sql<{ state: string; waiting: number }>(
      `SELECT state, waiting FROM redelivery_batches ORDER BY id DESC LIMIT 1`,
    );
    expect(batch).toMatchObject({ state: 'cancelled' });
    expect(batch!.waiting).toBeGreaterThan(0);
  });

  it('a viewer reads, and is offered nothing that changes anything', async () => {
    const { ids } = await dead(1);
    const viewer = await insertOperator(instance, 'viewer');
    const look = await openScreen(browser, instance, viewer, '/dead-letters');
    await look.getByRole('link', { name: 'customer.created' }).first().click();
    await look.getByRole('heading', { name: 'Attempts' }).waitFor();
    for (const name of ['Redeliver', 'Discard']) {
      expect(await look.getByRole('button', { name }).count()).toBe(0);
    }
    await look.context().close();
    for (const action of ['redeliver', 'discard']) {
      const path = `/webhooks/deliveries/${ids[0]!}/${action}`;
      expect(await viewer.call('POST', path, { reason: 'no' })).toMatchObject({
        status: 403,
        body: { code: 'insufficient_role' },
      });
    }
    expect(receiver.requests).toHaveLength(0);
  });

  it('creates a key, which is shown once and works', async () => {
    await go(`/projects/${instance.credentials.projectId}?tab=keys`);
    await button('New key').first().click();
    await dialog().getByLabel(/^Name/).fill('Order service');
    await inDialog('Create').click();
    const once = dialog().filter({ hasText: 'Keep it now' });
    await once.waitFor();
    const value = await once.locator('input').first().inputValue();
    expect(value).toMatch(/^sk_/);
    const answer = await instance.request('GET', '/api/v1/customers', {
      headers: { authorization: `Bearer ${value}` },
    });
    expect(answer.status).toBe(200);
    await button('I have kept it').click();
    expect(await page.content()).not.toContain(value);
  });

  it('ends a session of a customer', async () => {
    const { body } = await instance.register(uniqueEmail());
    const { customer, tokens } = body;
    await go(`/customers/${customer.id}?tab=sessions`);
    await button(/^Revoke (?!all)/)
      .first()
      .click();
    await inDialog('Revoke').click();
    await see('Signed in nowhere');
    expect(await instance.customer(tokens.accessToken, 'GET', '/api/v1/me')).toMatchObject({ status: 401 });
  });

  it('a list says when nothing matches and why it failed, shows more, and is worked by keys', async () => {
    const { id, ids } = await dead(51);
    const rows = page.getByRole('table').locator('tbody tr');
    await go(`/dead-letters?endpoint_id=${id}`);
    await see('51 dead letters');
    expect(await rows.count()).toBe(50);
    await button('Load more').click();
    await rows.nth(50).waitFor();
    expect(await rows.count()).toBe(51);
    expect(await button('Load more').count()).toBe(0);

    await page.keyboard.press('/');
    await page.getByRole('searchbox', { name: 'Search' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('https://nobody.example');
    await see('No match');
    expect(await rows.count()).toBe(0);
    await page.route(/\/webhooks\/dead-letters\?/, (route) => route.fulfill({ status: 500 }), { times: 1 });
    await button('Clear filters').click();
    await button('Try again').click();
    await rows.nth(49).waitFor();
    expect(page.url()).toBe(`${instance.baseUrl}/console/dead-letters`);
    expect(await page.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe('');
    // What Chromium says of the answer.
    expect(browser.complaints.splice(0)).toEqual([expect.stringMatching(/responded with a status of 500/)]);

    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find anything' }).fill(ids[7]!);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/deliveries/${ids[7]!}`);
    await see(ids[7]!);
  });

  it('a live list shows what is new, and rests while a row is selected', async () => {
    const { id, ids } = await dead(1);
    const look = await openScreen(browser, instance, await insertOperator(instance), '/');
    await look.clock.install();
    await look.goto(`${instance.baseUrl}/console/dead-letters?endpoint_id=${id}`);
    const asked: string[] = [];
    look.on('request', (request) => {
      if (/\/dead-letters\?/.test(request.url())) asked.push(request.url());
    });
    const live = look.getByRole('button', { name: /^Live/ });
    await live.click();
    receiver.otherwise = status(500);
    await emit(instance, 1);
    const [newest] = await deadLetters(instance, id, 2);
    await look.clock.runFor(2_000);
    await look.getByRole('checkbox', { name: `Select ${newest!}` }).waitFor();

    await look.getByRole('checkbox', { name: `Select ${ids[0]!}` }).check();
    await look.getByText('Live, paused while rows are selected').waitFor();
    asked.length = 0;
    await look.clock.runFor(30_000);
    expect(asked).toEqual([]);
    await look.getByRole('button', { name: 'Clear selection' }).click();
    const again = look.waitForRequest(/\/dead-letters\?/);
    await look.clock.runFor(2_000);
    await again;
    await look.context().close();
  });

  it('keeps nothing secret in the browser, and asks nobody else (CO-02, CO-05)', async () => {
    const kept = await page.evaluate<string[]>(
      `[...Object.keys(localStorage), ...Object.keys(sessionStorage), document.cookie]`,
    );
    // How the console looks, and how far its pages were scrolled.
    const harmless = ['', 'mantine-color-scheme-value', 'react-router-scroll-positions'];
    expect(kept.filter((name) => !harmless.includes(name))).toEqual([]);
    expect([...browser.hosts]).toEqual([new URL(instance.baseUrl).host]);
  });

  it('asks for a pasted key by its first eight characters, and for no signing secret (CO-05)', async () => {
    const { secretKey } = instance.credentials;
    const signingSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const look = await openScreen(browser, instance, await insertOperator(instance), '/deliveries');
    const urls: string[] = [];
    look.on('request', (request) => urls.push(decodeURIComponent(request.url())));
    look.on('framenavigated', (frame) => urls.push(decodeURIComponent(frame.url())));
    const search = look.getByRole('searchbox', { name: 'Search' });
    await search.fill(secretKey);
    await look.waitForURL(`**/deliveries?q=${secretKey.slice(0, 8)}`);
    await search.fill(signingSecret);
    await look.waitForURL('**/deliveries?q=whsec_');
    await look.keyboard.press('Control+k');
    const palette = look.getByRole('combobox', { name: 'Find anything' });
    await palette.fill(signingSecret);
    await look.getByText('Nothing by that name').waitFor();
    await palette.fill(secretKey);
    await look.getByRole('option', { name: secretKey.slice(0, 8) }).waitFor();
    const given = urls.filter((url) => url.includes(secretKey.slice(8)) || /whsec_[^&]/.test(url));
    expect(given).toEqual([]);
    expect(urls.filter((url) => url.includes(secretKey.slice(0, 8))).length).toBeGreaterThan(1);
    await look.context().close();
  });

  it('has complained of nothing', () => {
    expect(browser.complaints).toEqual([]);
  });
});
