import type { Locator } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { expectNoSeriousViolations } from '../support/accessibility.js';
import { describeDeliveries, waitForHeading, type DeliveriesTest } from '../support/console-tests.js';
import { CountedActions } from '../support/counted-actions.js';
import { emitEvents, createFailedEndpoint } from '../support/dead-letters.js';
import { eventually } from '../support/eventually.js';
import { setFailedSignIns } from '../support/failed-sign-ins.js';
import { nightlyIt } from '../support/is-nightly.js';
import { insertOperator } from '../support/operator-client.js';
import { respondWithStatus } from '../support/receiver.js';
import { PASSWORD } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

describeDeliveries('the console in a browser', (test) => {
  let { instance, browser, receiver, page, ui } = {} as DeliveriesTest;
  beforeAll(() => void ({ instance, browser, receiver, page, ui } = test));

  /** Types into the command palette, and opens the first option, which must match `option`. */
  const runCommand = async (text: string, option: string | RegExp): Promise<void> => {
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('combobox', { name: 'Search' });
    await palette.fill(text);
    await page.getByRole('option', { name: option, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await palette.waitFor({ state: 'detached' });
  };

  it('finds a dead letter, shows its error, redelivers it and shows the success', async () => {
    const { ids } = await createFailedEndpoint(instance, receiver, 1);
    await ui.goTo('/dead-letters');
    await page.getByRole('link', { name: 'customer.created' }).first().click();
    await page.waitForURL(new RegExp(`/deliveries/${ids[0]}`));
    await ui.waitForText('500');
    await ui.waitForText('<b>body</b>');
    await ui.button('Redeliver').first().click();
    await ui.dialogButton('Redeliver').dblclick();
    await ui.dialog().waitFor({ state: 'hidden' });
    await eventually('the redelivery', () => receiver.requests.length === 1);
    await ui.waitForText('Succeeded');
    // A double click creates one redelivery.
    const rows = await instance.sql(`SELECT FROM deliveries WHERE redelivery_of = $1`, [ids[0]!.slice(4)]);
    expect(rows).toHaveLength(1);
  });

  it('redelivers exactly the dead letters that match a filter', async () => {
    const { id, ids } = await createFailedEndpoint(instance, receiver, 5);
    await instance.createEndpoint(receiver.url, ['customer.created']);
    receiver.defaultResponder = respondWithStatus(404);
    await emitEvents(instance, 2);
    await eventually('the remaining dead letters', async () => {
      const [row] = await instance.sql<{ n: number }>(
        `SELECT count(*)::int AS n FROM deliveries WHERE state = 'failed' AND resolution IS NULL AND last_http_status = 404`,
      );
      return row!.n === 4;
    });
    receiver.defaultResponder = respondWithStatus(200);
    receiver.requests.length = 0;
    const matching = await instance.sql<{ id: string }>(
      `SELECT 'evt_' || event_id AS id FROM deliveries WHERE id = ANY ($1) ORDER BY 1`,
      [ids.map((each) => each.slice(4))],
    );
    await ui.goTo(`/dead-letters?endpoint_id=${id}&status_class=5xx`);
    await ui.waitForText('5 dead letters');
    await ui.button('Redeliver all matching').click();
    await ui.dialog().getByText('All matching deliveries can be redelivered.').waitFor();
    await ui.fillReason('the target works again');
    await ui.dialogButton('Redeliver 5').click();
    await page.waitForURL(/\/batches\/rdl_/);
    await ui.waitForText('Completed');
    await ui.waitForText('5 of 5 done');
    expect(receiver.requests.map(({ event }) => event.id).sort()).toEqual(matching.map((row) => row.id));
    const { body } = await instance.request('GET', `/operator/v1/webhooks/deliveries/${ids[0]!}`, {
      headers: { cookie: (await insertOperator(instance, 'viewer')).cookieHeader() },
    });
    expect(body.data).toMatchObject({ resolution: 'redelivered', reason: 'the target works again' });
    // The list contains no deliveries of other batches.
    await page.getByRole('link', { name: 'View deliveries' }).click();
    await ui.waitForText(/^5 deliveries$/);
    expect(await page.getByLabel('Batch ID').inputValue()).toMatch(/^rdl_/);
  });

  describe('a support job that starts at the overview', () => {
    const everywhere = (): Locator => page.getByRole('textbox', { name: 'Search all records' });
    const link = (name: string | RegExp): Locator => page.getByRole('link', { name, exact: true });

    /** Opens the overview and performs a job. @returns the number of actions */
    const countActions = async (job: (actions: CountedActions) => Promise<void>): Promise<number> => {
      await link('Overview').click();
      await waitForHeading(page, 'Overview');
      const actions = new CountedActions();
      await job(actions);
      return actions.count;
    };

    it("takes at most three actions to find a customer's failed webhook by email", async () => {
      const { ids } = await createFailedEndpoint(instance, receiver, 3);
      const [customer] = await instance.sql<{ email: string }>(
        `SELECT c.email FROM deliveries d JOIN events e ON e.id = d.event_id JOIN customers c ON c.id = e.customer_id
         WHERE d.id = $1`,
        [ids[1]!.slice(4)],
      );
      const count = await countActions(async (actions) => {
        await actions.fill(everywhere(), customer!.email);
        await actions.click(link(/^customer.created not delivered to .* after 5 attempts$/));
        await page.waitForURL(`**/deliveries/${ids[1]}`);
        await ui.waitForText('<b>body</b>');
      });
      expect(count).toBeLessThanOrEqual(3);
    });

    it('takes at most two actions to unlock a customer', async () => {
      const email = uniqueEmail();
      await instance.requestWithSecretKey('POST', '/api/v1/customers', { email, password: PASSWORD });
      await setFailedSignIns(instance, email, { inWindow: 10 });
      expect((await instance.login(email, PASSWORD)).status).toBe(429);
      const count = await countActions(async (actions) => {
        await actions.fill(everywhere(), email);
        const lock = page.getByRole('region', { name: 'Lock' });
        await lock.getByText('10 failed sign-ins with a password').waitFor();
        await actions.click(lock.getByRole('button', { name: 'Unlock' }));
        await lock.waitFor({ state: 'detached' });
      });
      expect((await instance.login(email, PASSWORD)).status).toBe(200);
      expect(count).toBeLessThanOrEqual(2);
    });

    nightlyIt('takes at most two actions to find an email that a customer has not received', async () => {
      const { id, email } = (await instance.register()).body.customer;
      await instance.sql(
        `INSERT INTO mails (id, project_id, customer_id, kind, recipient, state, reason, response, finished_at)
         VALUES (gen_random_uuid(), $1, $2, 'reset-password', $3, 'failed', 'rejected', '550 No such mailbox', now())`,
        [instance.credentials.projectId, id, email],
      );
      const count = await countActions(async (actions) => {
        await actions.fill(everywhere(), email);
        await page.getByRole('row', { name: /email failed.*550 No such mailbox/ }).waitFor();
      });
      expect(count).toBeLessThanOrEqual(2);
    });
  });

  it('shows the metrics of an endpoint, and replays a selected delivery to another URL', async () => {
    const { id } = await createFailedEndpoint(instance, receiver, 1);
    await instance.requestWithSecretKey('PATCH', `/v1/webhooks/endpoints/${id}`, { name: 'Order service' });
    await ui.goTo('/endpoints');
    await page.getByRole('link', { name: 'Order service' }).click();
    await page.getByRole('heading', { level: 1, name: 'Order service' }).waitFor();
    const metrics = page.getByRole('region', { name: 'Metrics' });
    const failures = metrics.getByRole('link', { name: '5xx' });
    expect(await failures.getAttribute('href')).toMatch(`time=24h&endpoint_id=${id}&status_class=5xx`);
    const chart = metrics.getByRole('slider', { name: 'Attempts: values over time' });
    await chart.press('Home');
    expect(await chart.getAttribute('aria-valuetext')).toMatch(/ UTC, Succeeded: 0, Failed: 0$/);
    await chart.press('End');
    await metrics.getByText('Enter to see attempts').waitFor();
    await expectNoSeriousViolations(page);
    await page
      .getByRole('checkbox', { name: /^Select (?!all)/ })
      .first()
      .check();
    await ui.button('Replay to another URL').click();
    await ui.dialog().getByLabel('URL').fill(new URL('/debug', receiver.url).href);
    const secret = await ui.dialog().getByLabel('Signing secret').inputValue();
    await ui.dialogButton('Replay').click();
    const request = await eventually('the replay', () => receiver.requests[0]);
    expect(request.path).toBe('/debug');
    new Webhook(secret).verify(request.body, request.headers as Record<string, string>);
    const replays = page.getByRole('region', { name: 'Replays to other URLs' });
    await replays.getByRole('link', { name: 'customer.created' }).click();
    await page.getByRole('list', { name: 'Replays to other URLs' }).getByText('Succeeded').waitFor();
    // The delivery is still a dead letter.
    await ui.button('Discard').waitFor();
  });

  it('links from the overview to dead letters and failed sign-ins', async () => {
    await createFailedEndpoint(instance, receiver, 1);
    const email = uniqueEmail();
    await instance.register(email);
    await instance.requestWithPublishableKey('POST', '/api/v1/auth/login', {
      email,
      password: 'wrong-password',
    });
    await ui.goTo('/?compare=previous');
    await page.getByRole('status').getByRole('link', { name: 'Dead letters' }).waitFor();
    await page.getByRole('tab', { name: 'Identity' }).click();
    const identity = page.getByRole('tabpanel', { name: 'Identity' });
    await identity.getByText('No comparison with the previous period').waitFor();
    expect(page.url()).toContain('compare=previous');
    await page.getByRole('link', { name: 'Wrong password' }).waitFor();
    await page.getByRole('link', { name: 'Wrong password' }).click();
    await page.waitForURL(/\/events\?types=login\.failed&time=24h/);
    await page.getByRole('link', { name: 'login.failed' }).first().waitFor();
  });

  nightlyIt('saves a view, and opens, selects and redelivers rows with the keyboard', async () => {
    await createFailedEndpoint(instance, receiver, 3);
    await ui.goTo('/dead-letters?status_class=5xx');
    await page.locator('[data-row-link]').nth(2).waitFor();
    await ui.button('Display').click();
    await page.getByRole('checkbox', { name: 'Created' }).click();
    await page.keyboard.press('Escape');
    await ui.button('Save view').click();
    await ui.dialog().getByLabel(/^Name/).fill('Server errors');
    await ui.dialogButton('Save').click();
    await page.getByRole('button', { name: 'Server errors', pressed: true }).waitFor();

    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await waitForHeading(page, 'Customers');
    await runCommand('server err', /^Open view Server errors/);
    await page.waitForURL(/dead-letters\?.*status_class=5xx/);
    await page.getByRole('button', { name: 'Server errors', pressed: true }).waitFor();
    expect(await page.getByRole('columnheader', { name: 'Created' }).count()).toBe(0);
    await page.locator('[data-row-link]').nth(1).waitFor();
    for (const key of ['j', 'j', 'x', 'r']) await page.keyboard.press(key);
    await ui.dialog().getByText('Redeliver this event?').waitFor();
    await ui.dismissDialog();
    await page.locator('[data-row-link]:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/deliveries\/dlv_/);
    await page.getByRole('heading', { name: 'Attempts' }).waitFor();
    await page.keyboard.press('r');
    await ui.dialog().getByText('Redeliver this event?').waitFor();
    await ui.dismissDialog();

    // The link returns to the list and the row from which the operator opened the delivery.
    await page.getByRole('link', { name: 'Dead letters', exact: true }).last().click();
    await page.waitForURL(/dead-letters\?.*status_class=5xx/);
    const focused = page.locator('tr:has([data-row-link]:focus)');
    expect(await focused.getAttribute('aria-rowindex')).toBe('3');
    await ui.button('Actions for the view Server errors').click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await ui.dialogButton('Delete').click();
    await ui.button('Actions for the view Server errors').waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('');
  });

  nightlyIt('shows a viewer the dead letters without any actions', async () => {
    const { ids } = await createFailedEndpoint(instance, receiver, 1);
    const viewer = await insertOperator(instance, 'viewer');
    const newPage = await test.open('/dead-letters', viewer);
    await newPage.getByRole('link', { name: 'customer.created' }).first().click();
    await newPage.getByRole('heading', { name: 'Attempts' }).waitFor();
    for (const name of ['Redeliver', 'Discard', 'Replay to another URL']) {
      expect(await newPage.getByRole('button', { name }).count()).toBe(0);
    }
    await newPage.context().close();
    for (const action of ['redeliver', 'discard']) {
      const path = `/webhooks/deliveries/${ids[0]!}/${action}`;
      expect(await viewer.request('POST', path, { reason: 'no' })).toMatchObject({
        status: 403,
        body: { code: 'insufficient_role' },
      });
    }
    expect(receiver.requests).toHaveLength(0);
  });

  it('revokes a session of a customer', async () => {
    const { body } = await instance.register();
    const { customer, tokens } = body;
    await ui.goTo(`/customers/${customer.id}?tab=sessions`);
    await ui
      .button(/^Revoke (?!all)/)
      .first()
      .click();
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/operator/v1/customers/**', async (route) => {
      if (route.request().method() === 'GET') await released;
      await route.continue();
    });
    await ui.dialogButton('Revoke').click();
    // The dialog closes before the list is refreshed.
    await ui.dialog().waitFor({ state: 'hidden' });
    release();
    await ui.waitForText('No active sessions');
    await page.unrouteAll();
    expect(await instance.requestWithAccessToken(tokens.accessToken, 'GET', '/api/v1/me')).toMatchObject({
      status: 401,
    });
  });

  it('searches for a key by its first eight characters and never sends a signing secret (CO-05)', async () => {
    const { secretKey } = instance.credentials;
    const signingSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    await ui.goTo('/deliveries');
    const urls: string[] = [];
    page.on('request', (request) => urls.push(decodeURIComponent(request.url())));
    page.on('framenavigated', (frame) => urls.push(decodeURIComponent(frame.url())));
    const search = page.getByRole('searchbox', { name: 'Search' });
    await search.fill(secretKey);
    await page.waitForURL(`**/deliveries?q=${secretKey.slice(0, 8)}`);
    await search.fill(signingSecret);
    await page.waitForURL('**/deliveries?q=whsec_');
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('combobox', { name: 'Search' });
    await palette.fill(signingSecret);
    await page.getByText('Nothing found').waitFor();
    await palette.fill(secretKey);
    await page.getByRole('option', { name: secretKey.slice(0, 8) }).waitFor();
    const leaked = urls.filter((url) => url.includes(secretKey.slice(8)) || /whsec_[^&]/.test(url));
    expect(leaked).toEqual([]);
    expect(urls.filter((url) => url.includes(secretKey.slice(0, 8))).length).toBeGreaterThan(1);
  });

  it('stores no secret in the browser and sends no requests to other hosts (CO-02, CO-05)', async () => {
    const stored = await page.evaluate<string[]>(
      `[...Object.keys(localStorage), ...Object.keys(sessionStorage), document.cookie]`,
    );
    // These keys store the color scheme and the scroll positions.
    const harmless = ['', 'mantine-color-scheme-value', 'react-router-scroll-positions'];
    expect(stored.filter((name) => !harmless.includes(name))).toEqual([]);
    expect([...browser.requestedHosts]).toEqual([new URL(instance.baseUrl).host]);
  });
});
