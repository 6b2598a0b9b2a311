import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { seriousViolations } from '../support/accessibility.js';
import { describeConsole } from '../support/console-tests.js';
import { eventually } from '../support/eventually.js';
import { StreamingImport, toNdjson } from '../support/ndjson.js';
import { CONSOLE_HEADER } from '../support/operator-client.js';
import './console-identity.browser.spec.js';

describeConsole('the console: missing records and unsaved changes', { allowClientErrors: true }, (test) => {
  it('reports a missing record, and links to the list', async () => {
    const page = await test.open('/account');
    const notice = page.getByRole('alert');
    for (const [list, id] of [
      ['customers', randomUUID()],
      ['projects', randomUUID()],
      ['organizations', 'not-an-id'],
      ['endpoints', `ep_${randomUUID()}`],
      ['events', 'evt_1'],
      ['deliveries', `dlv_${randomUUID()}`],
      ['batches', `rdl_${randomUUID()}`],
    ]) {
      await page.goto(`${test.instance.baseUrl}/console/${list}/${id}`);
      await notice.getByText('Not found').waitFor();
      expect(await notice.textContent()).not.toMatch(/Request|credential|[0-9a-f]{8}-/);
      await notice.getByRole('link', { name: `Go to ${list}` }).waitFor();
    }
    expect(await seriousViolations(page)).toEqual([]);
    await notice.getByRole('link', { name: 'Go to batches' }).click();
    await page.waitForURL(`${test.instance.baseUrl}/console/batches`);
    await page.context().close();
  });

  it('checks a CSV file, imports it, and reports the lines that were not imported', async () => {
    const { instance } = test;
    const { projectId } = instance.credentials;
    const mark = `c${randomUUID().slice(0, 8)}`;
    const email = (name: string): string => `${mark}-${name}@example.com`;
    await instance.requestWithSecretKey('POST', '/api/v1/customers', {
      email: email('a'),
      externalId: mark,
    });
    const page = await test.show('/customers/import');
    await page.getByRole('combobox', { name: 'Project' }).click();
    await page.getByRole('option').first().waitFor();
    const [project] = await instance.sql<{ name: string }>('SELECT name FROM projects WHERE id = $1', [
      projectId,
    ]);
    await page.getByRole('option', { name: project!.name, exact: true }).first().click();
    const rows = [
      'email;firstName;Plan',
      `${email('b')};Jos\xe9;`,
      `${email('a')};Ada;pro`,
      '=no;;',
      `${email('c')};'=1+1;`,
      `${email('d')};Byron; Ada;`,
    ];
    const buffer = Buffer.from(rows.join('\r\n'), 'latin1');
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer });
    await page.getByText('Line 2 is not UTF-8.').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole('combobox', { name: 'Encoding' }).click();
    await page.getByRole('option', { name: 'Windows-1252' }).click();
    await page.getByText('people.csv, 4 customers').waitFor();
    await page.getByText('Encoding: Windows-1252 (Western Europe), delimiter: semicolon').waitFor();
    await page.getByRole('button', { name: 'Check file' }).click();
    await page.getByText('Nothing was imported').waitFor();
    expect(await instance.sql('SELECT 1 FROM customers WHERE email = $1', [email('b')])).toEqual([]);
    const expectReport = async (): Promise<void> => {
      const reasons = page.getByRole('table', { name: 'Reasons' });
      await reasons.getByRole('row', { name: 'Left out 1 Plan: No customer field has this name' }).waitFor();
      const lines = page.getByRole('table', { name: 'Not imported' });
      await lines.getByRole('row', { name: '3 Skipped' }).waitFor();
      await lines.getByRole('row', { name: '4 Failed email must be an email address' }).waitFor();
      await lines.getByRole('row', { name: '6 Not sent The row has more or fewer cells' }).waitFor();
    };
    await expectReport();
    await page.getByText('Would be created').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Start import' }).click();
    await page.getByText('Completed', { exact: true }).waitFor();
    await expectReport();
    const customers = await instance.sql(
      'SELECT first_name FROM customers WHERE email IN ($1, $2) ORDER BY email',
      [email('b'), email('c')],
    );
    expect(customers).toEqual([{ first_name: 'José' }, { first_name: '=1+1' }]);
    const downloading = page.waitForEvent('download');
    await page.getByText('Download CSV', { exact: true }).click();
    const report = await readFile(await (await downloading).path(), 'utf8');
    expect(report).toContain("failed,4,'=no,,email,");

    await page.getByRole('button', { name: 'Import another file' }).click();
    await page.getByRole('combobox', { name: 'Project' }).click();
    await page.getByRole('option', { name: project!.name, exact: true }).first().click();
    const lines = [
      { email: email('a'), externalId: mark, firstName: 'Ada', updatedAt: new Date().toISOString() },
      { email: email('e'), passwordHash: `{SSHA}${randomBytes(28).toString('base64')}` },
    ];
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'a.ndjson', mimeType: 'text/plain', buffer: Buffer.from(toNdjson(lines)) });
    await page.getByRole('checkbox', { name: 'Update existing customers' }).click();
    await page.getByRole('checkbox', { name: 'Also import salted SHA password hashes' }).click();
    await page.getByRole('button', { name: 'Start import' }).click();
    await page.getByText('Completed', { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('update')).toBe('true');
    const imported = await instance.sql(
      'SELECT first_name, password_hash IS NOT NULL AS "hasPassword" FROM customers WHERE email IN ($1, $2) ORDER BY email',
      [email('a'), email('e')],
    );
    expect(imported).toEqual([
      { first_name: 'Ada', hasPassword: false },
      { first_name: null, hasPassword: true },
    ]);
  });

  it('cancels an import, and resumes an interrupted one with the same file after a reload', async () => {
    const { instance, admin } = test;
    const { projectId } = instance.credentials;
    const [importId, domain] = [randomUUID(), `${randomUUID()}.example`];
    const lines = Array.from({ length: 1_100 }, (_, index) => ({ email: `person-${index}@${domain}` }));
    const credential = { ...CONSOLE_HEADER, cookie: admin.cookieHeader() };
    const stream = new StreamingImport(instance, { importId, projectId }, credential);
    stream.send(toNdjson(lines.slice(0, 600)));
    const getImport = async () => (await admin.request('GET', `/imports/${importId}`)).body;
    await eventually('a batch', async () => (await getImport()).lastLine === 500);
    stream.abort();
    await eventually('the interruption', async () => (await getImport()).state === 'interrupted');

    const page = await test.open(`/customers/import?id=${importId}`);
    await page.getByText('Interrupted').waitFor();
    const buffer = Buffer.from(toNdjson(lines));
    const file = { name: 'people.ndjson', mimeType: 'application/x-ndjson', buffer };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByText('people.ndjson, 1,100 customers').waitFor();
    await page.route('**/customers/import?**', () => undefined);
    await page.getByRole('button', { name: 'Continue import' }).click();
    await page.getByRole('button', { name: 'Cancel import' }).click();
    await page.getByText('Canceled').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Continue import' }).click();
    await page.getByText('Completed', { exact: true }).waitFor();
    expect(await getImport()).toMatchObject({ state: 'completed', created: 1_100, skipped: 0 });
    await page.context().close();
  });

  it('works while the browser is offline, because the server may be local', async () => {
    const page = await test.open('/account');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.evaluate(`void window.dispatchEvent(new Event('offline'))`);
    await page.getByRole('link', { name: 'Organizations' }).click();
    await page.getByRole('table', { name: 'organizations' }).waitFor();
    await page.getByRole('button', { name: 'Create organization' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill(`Offline ${randomUUID().slice(0, 8)}`);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: /^Offline/ }).waitFor();
    await page.context().close();
  });

  it('requires confirmation before "Back" or a reload discards unsaved project settings', async () => {
    const page = await test.open('/projects');
    await page.locator(`a[href$="/projects/${test.instance.credentials.projectId}"]`).click();
    const nameField = page.getByRole('region', { name: 'General' }).getByLabel('Name');
    await nameField.fill('Never saved');
    const dialogOpened = page.waitForEvent('dialog');
    const reloaded = page.reload();
    const confirmation = await dialogOpened;
    expect(confirmation.type()).toBe('beforeunload');
    await confirmation.accept();
    await reloaded;

    await nameField.fill('Never saved');
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
    await page.evaluate('history.back()');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await nameField.inputValue()).toBe('Never saved');
    await page.evaluate('history.back()');
    await dialog.getByRole('button', { name: 'Leave' }).click();
    await page.waitForURL(`${test.instance.baseUrl}/console/projects`);
    await dialog.waitFor({ state: 'hidden' });
    await page.context().close();
  });
});
