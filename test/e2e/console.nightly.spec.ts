import { describeDeliveries, type DeliveriesTest } from '../support/console-tests.js';
import {
  waitForDeadLetters,
  emitEvents,
  createFailedEndpoint,
  duplicateDeadLetter,
} from '../support/dead-letters.js';
import { respondWithStatus } from '../support/receiver.js';
import './console.browser.spec.js';

describeDeliveries('the console: lists, batches and live updates', (test) => {
  let { instance, browser, receiver, page, ui } = {} as DeliveriesTest;
  beforeAll(() => void ({ instance, browser, receiver, page, ui } = test));

  it('searches beyond one response, and indicates that more records remain', async () => {
    const { id, ids } = await createFailedEndpoint(instance, receiver, 1);
    // The newer dead letters do not match, and are more than the console searches automatically.
    await duplicateDeadLetter(instance, ids[0]!, 12_000);
    await ui.goTo(`/dead-letters?endpoint_id=${id}&http_status=500`);
    await page.getByRole('heading', { name: 'No matches so far' }).waitFor();
    await ui.button('Redeliver all matching').waitFor();
    await ui.button('Search older records').click();
    const row = page.locator(`a[href="/console/deliveries/${ids[0]}"]`).first();
    await row.waitFor();
    await instance.sql(
      'DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries WHERE last_http_status = 599 LIMIT 9000)',
    );
    await page.reload();
    await row.waitFor();
    await instance.sql('DELETE FROM deliveries WHERE last_http_status = 599');
  });

  it('cancels a batch', async () => {
    const { id } = await createFailedEndpoint(instance, receiver, 400);
    const waiting: (() => void)[] = [];
    receiver.defaultResponder = (response) => void waiting.push(() => response.end());
    await ui.goTo(`/dead-letters?endpoint_id=${id}`);
    await ui.button('Redeliver all matching').click();
    await ui.fillReason('too early');
    await ui.dialogButton('Redeliver 400').click();
    await ui.button('Cancel batch').click();
    await ui
      .dialogButton(/Cancel/)
      .last()
      .click();
    await ui.dialog().waitFor({ state: 'hidden' });
    receiver.defaultResponder = respondWithStatus(200);
    for (const respond of waiting) respond();
    await ui.waitForText('Canceled');
    await ui.waitForText('Never sent');
    const { body } = await instance.requestWithSecretKey('GET', '/v1/webhooks/redeliveries');
    // The batch belongs to an operator, and therefore to no organization.
    expect(body.data).toEqual([]);
    const [batch] = await instance.sql<{ state: string; waiting: number }>(
      `SELECT state, waiting FROM redelivery_batches ORDER BY id DESC LIMIT 1`,
    );
    expect(batch).toMatchObject({ state: 'cancelled' });
    expect(batch!.waiting).toBeGreaterThan(0);
  });

  it('shows empty and failed states in a list, loads more rows and supports the keyboard', async () => {
    const { id, ids } = await createFailedEndpoint(instance, receiver, 51);
    const rows = page.getByRole('table').locator('tbody tr');
    await ui.goTo(`/dead-letters?endpoint_id=${id}`);
    await ui.waitForText('51 dead letters');
    expect(await rows.count()).toBe(50);
    await ui.button('Load more').click();
    await rows.nth(50).waitFor();
    expect(await rows.count()).toBe(51);
    expect(await ui.button('Load more').count()).toBe(0);

    await page.keyboard.press('/');
    await page.getByRole('searchbox', { name: 'Search' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('https://nobody.example');
    await ui.waitForText('No results');
    expect(await rows.count()).toBe(0);
    await page.route(/\/webhooks\/dead-letters\?/, (route) => route.fulfill({ status: 500 }), { times: 1 });
    await ui.button('Clear filters').click();
    await ui.button('Try again').click();
    await rows.nth(49).waitFor();
    expect(page.url()).toBe(`${instance.baseUrl}/console/dead-letters`);
    expect(await page.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe('');
    // Chromium logs a message about the response.
    expect(browser.consoleMessages.splice(0)).toEqual([
      expect.stringMatching(/responded with a status of 500/),
    ]);

    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill(ids[7]!);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/deliveries/${ids[7]!}`);
    await ui.waitForText(ids[7]!);
  });

  it('shows new rows in a live list, and pauses while a row is selected', async () => {
    const { id, ids } = await createFailedEndpoint(instance, receiver, 1);
    const newPage = await test.open('/');
    await newPage.clock.install();
    await newPage.goto(`${instance.baseUrl}/console/dead-letters?endpoint_id=${id}`);
    const requestedUrls: string[] = [];
    newPage.on('request', (request) => {
      if (/\/dead-letters\?/.test(request.url())) requestedUrls.push(request.url());
    });
    const live = newPage.getByRole('button', { name: /^Live/ });
    await live.click();
    receiver.defaultResponder = respondWithStatus(500);
    await emitEvents(instance, 1);
    const [newest] = await waitForDeadLetters(instance, id, 2);
    await newPage.clock.runFor(2_000);
    await newPage.getByRole('checkbox', { name: `Select ${newest!}` }).waitFor();

    await newPage.getByRole('checkbox', { name: `Select ${ids[0]!}` }).check();
    await newPage.getByText('Live, paused while rows are selected').waitFor();
    requestedUrls.length = 0;
    await newPage.clock.runFor(30_000);
    expect(requestedUrls).toEqual([]);
    await newPage.getByRole('button', { name: 'Clear selection' }).click();
    const nextRequest = newPage.waitForRequest(/\/dead-letters\?/);
    await newPage.clock.runFor(2_000);
    await nextRequest;
    await newPage.context().close();
  });

  it('selects custom event types of an endpoint and finds their events', async () => {
    const { id } = await instance.createEndpoint(receiver.url, ['customer.created']);
    await ui.goTo(`/endpoints/${id}`);
    await ui.button('Edit').click();
    const types = ui.dialog().getByLabel('Custom event types');
    await types.fill('order.paid');
    await types.press('Enter');
    await ui.waitForText('“order.paid” is not a custom event type such as app.order.paid');
    await types.fill('app.order.paid');
    await types.press('Enter');
    await ui.dialogButton('Save').click();
    await ui.dialog().waitFor({ state: 'hidden' });
    await ui.waitForText('app.order.paid');
    const { body } = await instance.requestWithSecretKey('GET', `/v1/webhooks/endpoints/${id}`);
    expect(body.data.events).toEqual(['customer.created', 'app.order.paid']);

    await ui.button('Edit').click();
    await ui.dialog().getByRole('checkbox', { name: 'app.*' }).check();
    await ui.dialogButton('Save').click();
    await ui.dialog().waitFor({ state: 'hidden' });
    await ui.waitForText('app.*');

    const data = { customer: { id: '../operators' } };
    const event = { type: 'app.order.paid', data };
    const sent = await instance.requestWithSecretKey('POST', '/v1/events', event);
    expect(sent.status).toBe(201);
    await ui.goTo('/events');
    await page.locator('[data-row-link]').first().waitFor();
    await page.getByRole('combobox', { name: 'Event type' }).fill('app.order.paid');
    await page.getByRole('option', { name: 'app.order.paid' }).click();
    await page.waitForURL(/app\.order\.paid/);
    await page.reload();
    await page.locator(`a[href="/console/events/${sent.body.data.id}"]`).first().waitFor();
    // The console does not mistake the event's data for data about a customer.
    expect(await page.locator('a[href*="/console/customers/"]').count()).toBe(0);
  });

  it("starts the days of a filter at midnight in the browser's time zone, or in UTC", async () => {
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setTimezoneOverride', { timezoneId: 'Asia/Kolkata' });
    const nextBounds = async (): Promise<(string | null)[]> => {
      const request = await page.waitForRequest(/\/webhooks\/deliveries\?.*created_after/);
      const { searchParams } = new URL(request.url());
      return ['created_after', 'created_before'].map((name) => searchParams.get(name)!.slice(10));
    };
    const local = nextBounds();
    await ui.goTo('/deliveries?time=yesterday');
    expect(await local).toEqual(['T18:30:00.000Z', 'T18:30:00.000Z']);
    const utc = nextBounds();
    await ui.button(/^Account menu/).click();
    await page.getByText('UTC', { exact: true }).click();
    expect(await utc).toEqual(['T00:00:00.000Z', 'T00:00:00.000Z']);
    const { body } = await test.admin.request('GET', '/session');
    expect(body.preferences.timeZone).toBe('utc');
    await session.send('Emulation.setTimezoneOverride', { timezoneId: '' });
  });
});
