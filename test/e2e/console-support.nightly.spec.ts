import type { Locator } from 'playwright-core';
import { NIL_UUID } from '@gatehouse/persistence';
import { describeDeliveries, waitForHeading, type DeliveriesTest } from '../support/console-tests.js';
import { CountedActions } from '../support/counted-actions.js';
import { createFailedEndpoint } from '../support/dead-letters.js';
import { eventually } from '../support/eventually.js';
import { insertOperator } from '../support/operator-client.js';
import { uuidAt } from '../support/seed-deliveries.js';

describeDeliveries('the console: commands, selections and support jobs', (test) => {
  let { instance, browser, receiver, page, ui } = {} as DeliveriesTest;
  beforeAll(() => void ({ instance, browser, receiver, page, ui } = test));

  /** Inserts metrics for ten attempts, four of which failed, in the comparison period (24 to 48 hours ago). */
  const insertEarlierAttempts = async (endpointId: string): Promise<void> => {
    await instance.sql(
      `UPDATE attempts_counted SET endpoint_first_id = $1, endpoint_next_id = greatest(endpoint_next_id, $2)`,
      [NIL_UUID, uuidAt(Date.now() - 3_600_000)],
    );
    await instance.sql(
      `INSERT INTO attempt_figures (span, at, scope_id, counts)
       VALUES (900, date_bin('15 minutes', now() - interval '30 hours', '1970-01-01Z'), $1, '{10,4}')`,
      [endpointId.slice(3)],
    );
  };

  /** Types into the command palette, and opens the first option, which must match `option`. */
  const runCommand = async (text: string, option: string | RegExp): Promise<void> => {
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('combobox', { name: 'Search' });
    await palette.fill(text);
    await page.getByRole('option', { name: option, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await palette.waitFor({ state: 'detached' });
  };

  it('keeps the rows of a list that fails to refresh, and refreshes them with "Try again"', async () => {
    const { ids } = await createFailedEndpoint(instance, receiver, 1);
    await ui.goTo('/dead-letters');
    const row = page.locator(`a[href$="${ids[0]!}"]`);
    await row.waitFor();
    // The console retries requests after other server errors.
    const problem = { status: 500, title: 'Error', detail: 'The database is down.', code: 'internal_error' };
    const path = '**/operator/v1/webhooks/dead-letters?*';
    await page.route(path, (route) => route.fulfill({ status: 500, json: problem }));
    await page.getByRole('button', { name: 'Live', exact: true }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'The database is down.' });
    await alert.waitFor();
    expect(await row.isVisible()).toBe(true);
    expect(await alert.textContent()).toContain('Last refreshed');
    await page.unroute(path);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await alert.waitFor({ state: 'hidden' });
    expect(await row.isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Live', exact: true }).click();
    const messages = browser.consoleMessages.splice(0);
    expect(messages.filter((text) => !text.includes('status of 500'))).toEqual([]);
  });

  it('redelivers selected deliveries, and reports those that cannot be redelivered', async () => {
    const { id, ids } = await createFailedEndpoint(instance, receiver, 3);
    await ui.goTo(`/deliveries?endpoint_id=${id}&state=failed`);
    await page.getByRole('link', { name: `Attempts for ${ids[0]}: 5 of 5` }).click();
    await ui.dialog().getByText('Attempt 5 of 5').waitFor();
    await ui.dismissDialog();

    // Another operator has redelivered one of them in the meantime.
    expect((await test.admin.request('POST', `/webhooks/deliveries/${ids[2]}/redeliver`)).status).toBe(202);
    await eventually('the redelivery', () => receiver.requests.length === 1);
    await page.getByRole('checkbox', { name: 'Select all rows' }).check();
    await ui.button('Redeliver').click();
    await ui.dialogButton('Redeliver 3').click();
    const report = ui.dialog().filter({ hasText: 'Redelivered 2 of 3' });
    await report
      .getByRole('row')
      .filter({ hasText: ids[2]!.slice(-8) })
      .waitFor();
    expect(await report.getByRole('row').count()).toBe(1);
    await eventually('the redeliveries', () => receiver.requests.length === 3);
    expect(browser.consoleMessages.splice(0)).toEqual([expect.stringContaining('409')]);

    // Links to the former list of attempts still work.
    await ui.goTo(`/deliveries?endpoint_id=${id}&success=false`);
    await ui.waitForText(/^15 attempts$/);
  });

  it('runs commands, and finds the changes of an operator', async () => {
    const admin = await insertOperator(instance, 'admin');
    const keys = `/projects/${instance.credentials.projectId}/api-keys`;
    await admin.request('POST', keys, { name: 'Backup' });
    await admin.request('PATCH', `/projects/${instance.credentials.projectId}`, { name: 'Corner shop' });

    await ui.goTo('/');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await runCommand('import cus', 'Import customers');
    await page.waitForURL('**/customers/import');
    await runCommand('create cus', 'Create customer');
    await ui
      .dialog()
      .getByLabel(/^Email/)
      .waitFor();
    await ui.dismissDialog();
    await page.waitForURL('**/customers');

    await runCommand('create org', 'Create organization');
    await ui.dialog().getByLabel(/^Name/).waitFor();
    expect(page.url()).toMatch(/\/organizations\?create=1$/);
    await ui.dismissDialog();
    await page.waitForURL('**/organizations');

    await runCommand(admin.operator.email, admin.operator.email);
    await page.waitForURL(`**/audit?actorType=operator&actorId=${admin.operator.id}`);
    await page
      .getByRole('row', { name: /Backup/ })
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'project.updated' }).click();
    const change = ui.dialog().getByRole('row', { name: /Corner shop/ });
    await change.waitFor();
    expect(await change.getByRole('cell').allTextContents()).toEqual([
      'name',
      expect.any(String),
      'Corner shop',
    ]);
  });

  it('opens, selects and redelivers deliveries with the keyboard', async () => {
    await createFailedEndpoint(instance, receiver, 3);
    await ui.goTo('/');
    await waitForHeading(page, 'Overview');
    const focused = page.locator('tr:has([data-row-link]:focus)');
    await page.keyboard.press('g');
    await page.keyboard.press('d');
    await waitForHeading(page, 'Deliveries');
    await page.locator('[data-row-link]').nth(1).waitFor();
    for (const key of ['j', 'j', 'k', 'x', 'r']) await page.keyboard.press(key);
    await ui.dialog().getByText('Redeliver this event?').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('[data-row-link]:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Attempts' }).waitFor();
    await page.getByRole('link', { name: 'Deliveries', exact: true }).last().click();
    await focused.waitFor();
    expect(await focused.getAttribute('aria-rowindex')).toBe('2');
  });

  it('compares the metrics of an endpoint with the previous period', async () => {
    const { id } = await createFailedEndpoint(instance, receiver, 1);
    await ui.goTo(`/endpoints/${id}`);
    const metrics = page.getByRole('region', { name: 'Metrics' });
    const chart = metrics.getByRole('slider', { name: 'Attempts: values over time' });
    await insertEarlierAttempts(id);
    await page.getByLabel('Compare with previous period').click();
    await metrics.getByText('+25% from 4 in the previous period').waitFor();
    await metrics.getByText('−50% from 10 in the previous period').waitFor();
    expect(await metrics.getByText('No previous value').count()).toBe(3);
    await chart.press('Home');
    expect(await chart.getAttribute('aria-valuetext')).toMatch(
      /, Failed: 0, All in the previous period: \d+$/,
    );
    expect(page.url()).toMatch(/\?compare=previous$/);
  });

  it('shows the outcome of a test alert', async () => {
    await ui.goTo('/health?tab=alerts');
    await ui.button('Send test alert by email').click();
    await ui.dialogButton('Send test alert').click();
    await ui.waitForText("ALERT_EMAIL is not set in the worker's environment");
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

    it("takes at most three actions to find an endpoint's failures in the last hour", async () => {
      // Other tests' endpoints have failures too.
      const { id } = await createFailedEndpoint(instance, receiver, 3);
      await instance.sql(`UPDATE webhook_endpoints SET name = 'Order service' WHERE id = $1`, [id.slice(3)]);
      const count = await countActions(async (actions) => {
        await actions.click(link('Deliveries').first());
        await actions.fill(page.getByRole('searchbox', { name: 'Search' }), 'order serv');
        await actions.click(ui.button('Failed in the last hour'));
        await ui.waitForText(/^3 deliveries$/);
      });
      expect(new URL(page.url()).searchParams.get('time')).toBe('1h');
      expect(count).toBeLessThanOrEqual(3);
    });

    it('takes at most three actions to find the operator who revoked a key', async () => {
      const keys = `/projects/${instance.credentials.projectId}/api-keys`;
      const { id } = (await test.admin.request('POST', keys, { name: 'Nightly export' })).body;
      const other = await insertOperator(instance, 'admin');
      await other.request('DELETE', `${keys}/${id}`);
      const count = await countActions(async (actions) => {
        await actions.fill(everywhere(), 'tly exp');
        await page.waitForURL(`**/projects/*/keys/${id}`);
        await page.getByText('Revoked by').waitFor();
        await page.locator('dl').first().getByRole('link', { name: other.operator.email }).waitFor();
      });
      expect(count).toBeLessThanOrEqual(3);
    });
  });
});
