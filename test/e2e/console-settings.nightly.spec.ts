import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { seriousViolations } from '../support/accessibility.js';
import { describeConsole } from '../support/console-tests.js';
import { registerCustomer } from '../support/customers.js';
import { insertIdentity, insertProvider } from '../support/identity-providers/insert-provider.js';
import { insertOperator } from '../support/operator-client.js';
import { insertPasskey } from '../support/passkeys.js';
import { insertOrganization } from '../support/tenants.js';

describeConsole('the console: settings and identities', { allowClientErrors: true }, (test) => {
  it('offers portable password hashes before an import into a project without customers', async () => {
    const create = async (): Promise<{ id: string; name: string }> => {
      const name = `Import ${randomUUID().slice(0, 8)}`;
      return (await test.instance.requestWithSecretKey('POST', '/api/v1/projects', { name })).body;
    };
    const [empty, other] = [await create(), await create()];
    const customer = { projectId: other.id, email: `${randomUUID()}@example.com` };
    await test.instance.requestWithSecretKey('POST', '/api/v1/customers', customer);
    const page = await test.show('/customers/import');
    const choose = async ({ id, name }: { id: string; name: string }): Promise<void> => {
      await page.getByRole('combobox', { name: 'Project' }).fill(name);
      const customers = page.waitForResponse(
        (response) => response.url().includes('/customers?') && response.url().includes(id),
      );
      await page.getByRole('option', { name }).click();
      await customers;
    };
    const choice = page.getByRole('checkbox', { name: 'Use portable password hashes in this project' });
    await choose(other);
    expect(await choice.count()).toBe(0);
    await choose(empty);
    await choice.click();
    await page.locator('input[type=checkbox]:checked:enabled').waitFor();
    const { settings } = (await test.admin.request('GET', `/projects/${empty.id}`)).body;
    expect(settings.passwordHashing).toBe('portable');
    expect(await seriousViolations(page)).toEqual([]);
  });

  describe('the settings of a project', () => {
    let id: string;
    let page: Page;
    // Each test must leave the form without unsaved changes.
    beforeAll(async () => {
      const body = { organizationId: test.instance.credentials.organizationId, name: 'New' };
      ({ id } = (await test.admin.request('POST', '/projects', body)).body);
      page = await test.show(`/projects/${id}`);
    });

    it('keep text that is typed while they are saved', async () => {
      const nameField = page.getByRole('region', { name: 'General' }).getByLabel('Name');
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => (release = resolve));
      const patchSent = page.waitForRequest((request) => request.method() === 'PATCH');
      await page.route(/operator\/v1\/projects\//, async (route) => {
        if (route.request().method() === 'PATCH') await released;
        await route.continue();
      });
      await nameField.fill('Sent');
      const bar = page.getByRole('region', { name: 'Unsaved changes' });
      await bar.getByRole('button', { name: 'Save' }).click();
      await patchSent;
      await nameField.fill('Sent, and more');
      release();
      await page.getByRole('heading', { level: 1, name: 'Sent' }).waitFor();
      await page.getByText('Changes saved. They take effect immediately.').waitFor();
      expect(await nameField.inputValue()).toBe('Sent, and more');
      await bar.getByText('1 unsaved change').waitFor();
      await bar.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { level: 1, name: 'Sent, and more' }).waitFor();
      await bar.waitFor({ state: 'detached' });
      await page.unrouteAll();
    });

    it('replace the typed value with the saved one if the operator chooses it', async () => {
      const saveAsOther = (patch: object) => test.admin.request('PATCH', `/projects/${id}`, patch);
      const savedName = async () => (await test.admin.request('GET', `/projects/${id}`)).body.name as string;
      const nameField = page.getByRole('region', { name: 'General' }).getByLabel('Name');
      const bar = page.getByRole('region', { name: 'Unsaved changes' });
      const notice = page.getByRole('alert').filter({ hasText: 'This record has changed' });
      const change = (label: string) => notice.getByRole('region', { name: label });
      await nameField.fill('Mine again');
      await saveAsOther({ name: 'Theirs again' });
      await bar.getByRole('button', { name: 'Save changes' }).click();
      await change('Name').getByRole('button', { name: 'Use saved value' }).click();
      await bar.waitFor({ state: 'detached' });
      expect([await savedName(), await nameField.inputValue()]).toEqual(['Theirs again', 'Theirs again']);
      expect(await notice.count()).toBe(0);
    });

    it('require a second factor with a grace period for sessions, and limit failed codes', async () => {
      const section = page.getByRole('region', { name: 'Second factors' });
      const graceField = section.getByLabel('Grace period in days');
      const save = () => page.getByRole('button', { name: 'Save changes' }).click();
      const selection = section.getByRole('combobox', { name: 'Second factor at sign-in' });
      await selection.click();
      expect(await graceField.count()).toBe(0);
      await page.getByRole('option', { name: 'Required' }).click();
      await graceField.fill('91');
      const limits = page.getByRole('region', { name: 'Rate limits' });
      await limits.getByLabel('Failed second factors').fill('21');
      await save();
      await section.getByText('Must not be greater than 90').waitFor();
      await limits.getByText('Must not be greater than 20').waitFor();
      expect(await seriousViolations(page)).toEqual([]);
      await graceField.fill('0');
      await limits.getByLabel('Failed second factors').fill('5');
      await save();
      await page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'detached' });
      const { settings } = (await test.admin.request('GET', `/projects/${id}`)).body;
      const changed = { mfa: 'required', mfaGraceDays: 0, limits: { failedSecondFactor: 5, login: 30 } };
      expect(settings).toMatchObject(changed);
    });

    it("save the previous system's URL, keep its secret, and delete both when the URL is cleared", async () => {
      const section = page.getByRole('region', { name: 'Registration and sign-in' });
      const [urlField, secretField] = [
        section.getByLabel('Previous system', { exact: true }),
        section.getByRole('textbox', { name: 'Secret of the previous system' }),
      ];
      const bar = page.getByRole('region', { name: 'Unsaved changes' });
      const save = async () => {
        await bar.getByRole('button', { name: 'Save' }).click();
        await bar.waitFor({ state: 'detached' });
        const [row] = await test.instance.sql<{ url: string | null; secret: Buffer | null }>(
          `SELECT settings -> 'legacySignIn' ->> 'url' AS url, legacy_sign_in_secret AS secret
         FROM projects WHERE id = $1`,
          [id],
        );
        return row!;
      };
      expect(await secretField.count()).toBe(0);
      await urlField.fill('https://old.example.com/sign-in');
      await bar.getByRole('button', { name: 'Save' }).click();
      await section.getByText('Is required').waitFor();
      await secretField.fill(`whsec_${'A'.repeat(32)}`);
      const { secret } = await save();
      expect(secret).toBeInstanceOf(Buffer);
      expect(await secretField.inputValue()).toBe('');
      await urlField.fill('https://old.example.com/other');
      expect(await save()).toEqual({ url: 'https://old.example.com/other', secret });
      await urlField.fill('');
      expect(await save()).toEqual({ url: null, secret: null });
    });
  });

  it('sets the domain of passkeys, which cannot change while customers have passkeys', async () => {
    const { projectId } = test.instance.credentials;
    const page = await test.show(`/projects/${projectId}`);
    const section = page.getByRole('region', { name: 'Passkeys' });
    const [domain, origins] = [section.getByLabel('Domain'), section.getByLabel('Origins')];
    const save = () => page.getByRole('button', { name: 'Save changes' }).click();
    const saved = page.getByText('Changes saved. They take effect immediately.');
    const readPasskeys = async () =>
      (await test.admin.request('GET', `/projects/${projectId}`)).body.settings.passkeys;
    await domain.fill('example.com');
    await save();
    await section.getByText('Must contain at least one origin').waitFor();
    await origins.fill('https://app.example.com\nhttps://example.com');
    await section.getByLabel('Displayed name').fill('Shop');
    await save();
    await saved.waitFor();
    expect(await readPasskeys()).toEqual({
      rpId: 'example.com',
      rpName: 'Shop',
      origins: ['https://app.example.com', 'https://example.com'],
    });

    const registered = await test.instance.register();
    const passkeyId = await insertPasskey(test.instance, registered.body.customer.id);
    await domain.fill('example.org');
    await save();
    const conflict = page.getByRole('alert').getByText('1 is bound to example.com.');
    await conflict.waitFor();
    await test.instance.sql('DELETE FROM passkeys WHERE id = $1', [passkeyId]);
    await domain.fill('');
    await origins.fill('');
    await save();
    await conflict.waitFor({ state: 'hidden' });
    await page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'detached' });
    expect(await readPasskeys()).toBeNull();
  });

  it('shows the identities and image of a customer, and removes an identity with a reason', async () => {
    const { instance } = test;
    const customer = await registerCustomer(instance);
    const { id: providerId } = await insertProvider(instance, { name: 'Acme' });
    const identityId = await insertIdentity(instance, customer.id, { providerId, subject: 'ada-4711' });
    const imageUrl = 'https://provider.example.com/ada.png';
    await instance.sql('UPDATE customers SET image_url = $2 WHERE id = $1', [customer.id, imageUrl]);
    const show = async (role: string) =>
      test.show(`/customers/${customer.id}?tab=profile`, await insertOperator(instance, role));
    const page = await show('viewer');
    const section = page.getByRole('region', { name: 'Identities', exact: true });
    await section.getByText('ada-4711').waitFor();
    await section.getByText('Acme', { exact: true }).waitFor();
    await page.getByText(imageUrl).waitFor();
    expect(await page.locator(`img[src="${imageUrl}"]`).count()).toBe(0);
    expect(await section.getByRole('button').count()).toBe(0);

    await show('operator');
    await section.getByRole('button', { name: /^Remove the identity at Acme/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove this identity?' });
    const confirm = dialog.getByRole('button', { name: 'Remove identity' });
    expect(await confirm.isEnabled()).toBe(false);
    expect(await seriousViolations(page)).toEqual([]);
    await dialog.getByLabel('Reason').fill('Ticket 4712');
    await confirm.click();
    await dialog.waitFor({ state: 'hidden' });
    await section.getByText('No accounts at identity providers').waitFor();
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.getByRole('link', { name: /^Identity at .* unlinked/ }).click();
    const entry = page.getByRole('dialog', { name: 'customer.identity_unlinked' });
    await entry.getByText(identityId).waitFor();
  });

  it('creates several keys for one .env file, and keeps the form of a rejected key filled in', async () => {
    const body = { organizationId: test.instance.credentials.organizationId, name: 'Keys' };
    const { id } = (await test.admin.request('POST', '/projects', body)).body;
    const page = await test.show(`/projects/${id}?tab=keys`);
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Server');
    await dialog.getByRole('button', { name: 'Add another key' }).click();
    const second = dialog.getByRole('group', { name: 'Key 2' });
    await second.getByLabel('Name').fill('Web');
    await second.getByRole('combobox', { name: 'Expires' }).click();
    await page.getByRole('option', { name: 'On a date…' }).click();
    await second.getByLabel('Date').fill('2020-01-01');
    await dialog.getByRole('button', { name: 'Create 2 keys' }).click();
    await dialog.getByLabel('Secret key').waitFor();
    await dialog.getByText('Must be in the future').first().waitFor();
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Web');
    await dialog.getByLabel('Date').fill('2099-01-01');
    await dialog.getByRole('button', { name: 'Create key' }).click();

    const file = dialog.getByLabel('.env file', { exact: true });
    const lines = await file.innerText();
    const read = (name: string): string | undefined => new RegExp(`^${name}=(.*)$`, 'm').exec(lines)?.[1];
    expect(read('GATEHOUSE_URL')).toBe(test.instance.baseUrl);
    expect(read('GATEHOUSE_PROJECT_ID')).toBe(id);
    for (const [name, path] of [
      ['GATEHOUSE_SECRET_KEY', '/api/v1/customers'],
      ['GATEHOUSE_PUBLISHABLE_KEY', '/api/v1/auth/options'],
    ] as const) {
      const headers = { [name.includes('SECRET') ? 'x-api-key' : 'x-publishable-key']: read(name)! };
      expect((await test.instance.request('GET', path, { headers })).status).toBe(200);
    }
    await dialog.getByText('Vite', { exact: true }).click();
    await file.getByText('VITE_PUBLISHABLE_KEY=').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'I have saved them' }).click();
    await page.getByRole('cell', { name: 'Web', exact: true }).waitFor();
    expect(await page.content()).not.toContain(read('GATEHOUSE_SECRET_KEY')!);
  });

  it('recommends verified email addresses for production unless they are required', async () => {
    const { organizationId } = test.instance.credentials;
    const body = { organizationId, name: 'Shop', environment: 'production' };
    const { id } = (await test.admin.request('POST', '/projects', body)).body;
    const settings = { requireVerifiedEmail: true };
    await test.admin.request('PATCH', `/projects/${id}`, { settings });
    const page = await test.show(`/projects/${id}`);
    const section = page.getByRole('region', { name: 'Registration and sign-in' });
    const field = section.getByLabel('Require a verified email address');
    await field.waitFor();
    expect(await field.isChecked()).toBe(true);
    expect(await section.getByText('Recommended for production').count()).toBe(0);
    await field.click();
    await section.getByText('Recommended for production').waitFor();
    await page.getByRole('button', { name: 'Discard changes' }).click();
  });

  it('shows the template that another admin saved in the meantime, and overwrites its subject', async () => {
    const body = { organizationId: test.instance.credentials.organizationId, name: 'Templates' };
    const { id } = (await test.admin.request('POST', '/projects', body)).body;
    const page = await test.show(`/projects/${id}?tab=templates`);
    await page.getByRole('button', { name: 'Actions for Invitation, German (de)' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Subject').fill('Hallo {{email}}');
    const path = `/projects/${id}/mail-templates/accept-invite/de`;
    await test.admin.request('PATCH', path, { subject: 'Willkommen', heading: 'Hallo' });
    await dialog.getByRole('button', { name: 'Save changes' }).click();
    await dialog.getByRole('region', { name: 'Subject' }).getByText('Willkommen').waitFor();
    await dialog.getByRole('button', { name: 'Overwrite' }).click();
    await dialog.waitFor({ state: 'hidden' });
    const saved = { subject: 'Hallo {{email}}', heading: 'Hallo' };
    expect((await test.admin.request('GET', path)).body).toMatchObject(saved);
  });

  it('shows the access that another admin granted in the meantime, and overwrites it', async () => {
    const mark = randomUUID().slice(0, 8);
    const { organizationId } = await insertOrganization(test.instance);
    await test.instance.sql('UPDATE organizations SET name = $2 WHERE id = $1', [organizationId, mark]);
    const { id, email } = (await insertOperator(test.instance, 'admin')).operator;
    const page = await test.show(`/operators?q=${encodeURIComponent(email)}`);
    await page.getByRole('button', { name: `Actions for ${email}` }).click();
    await page.getByRole('menuitem', { name: 'Change access' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change access' });
    await dialog.getByLabel('Selected organizations').check();
    await dialog.getByRole('combobox', { name: 'Organizations' }).fill(mark);
    await page.getByRole('option', { name: mark }).click();
    await page.keyboard.press('Escape');
    const theirs = { role: 'operator', organizationIds: [test.instance.credentials.organizationId] };
    expect((await test.admin.request('PATCH', `/operators/${id}`, theirs)).status).toBe(200);
    await dialog.getByRole('button', { name: 'Change access' }).click();
    await dialog.getByRole('region', { name: 'Role' }).getByText('Operator').waitFor();
    const change = dialog.getByRole('region', { name: 'Access' });
    await change.getByText(mark).waitFor();
    expect(await change.innerText()).toMatch(new RegExp(`Your value\\s+${mark}\\s+Saved value\\s+`));
    expect((await test.admin.request('GET', `/operators/${id}`)).body).toMatchObject(theirs);
    await dialog.getByRole('button', { name: 'Overwrite' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('row', { name: email }).getByText(mark).waitFor();
  });
});
