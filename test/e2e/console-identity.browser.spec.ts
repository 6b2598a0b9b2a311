import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expectNoSeriousViolations } from '../support/accessibility.js';
import { describeConsole } from '../support/console-tests.js';
import { registerWithTotp } from '../support/customer-factors.js';
import { withSettings } from '../support/customers.js';
import { nightlyIt } from '../support/is-nightly.js';
import { insertOperator, inviteOperator, OperatorClient, signIn } from '../support/operator-client.js';
import { insertPasskey } from '../support/passkeys.js';
import { insertOrganization } from '../support/tenants.js';
import { totpCode } from '../support/totp.js';

describeConsole(
  'the console: organizations, projects, customers and operators',
  { allowClientErrors: true },
  (test) => {
    it('creates an organization, a project and, after reauthentication, an API key (OP-01)', async () => {
      const mark = randomUUID().slice(0, 8);
      const owner = await insertOperator(test.instance);
      await owner.setReauthentication(null);
      const page = await test.show('/organizations', owner);
      await page.getByRole('button', { name: 'Create organization' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill(`The Shop, Ltd. ${mark}`);
      expect(await dialog.getByLabel('Slug').inputValue()).toBe(`the-shop-ltd-${mark}`);
      await dialog.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { level: 1, name: `The Shop, Ltd. ${mark}` }).waitFor();

      await page.getByRole('link', { name: 'Create project' }).click();
      await dialog.getByLabel('Name').fill('First');
      await dialog.getByLabel('Slug').fill('x');
      await dialog.getByLabel('Name').fill('First one');
      expect(await dialog.getByLabel('Slug').inputValue()).toBe('x');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await dialog.getByText('Must be 3 to 48 characters of a-z, 0-9 and -', { exact: true }).waitFor();
      await dialog.getByLabel('Slug').fill('first');
      const requireVerifiedEmail = 'Require a verified email address';
      expect(await dialog.getByLabel(requireVerifiedEmail).count()).toBe(0);
      await dialog.getByRole('combobox', { name: 'Environment' }).click();
      await page.getByRole('option', { name: 'Production' }).click();
      expect(await dialog.getByLabel(requireVerifiedEmail).isChecked()).toBe(true);
      await expectNoSeriousViolations(page);
      await dialog.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { level: 1, name: 'First one' }).waitFor();
      expect(page.url()).toMatch(/\/console\/projects\/[0-9a-f-]{36}\?tab=keys$/);

      await page.getByRole('button', { name: 'Create key' }).click();
      const form = page.getByRole('dialog', { name: 'Create API key' });
      await form.getByLabel('Name').fill('Billing service');
      await form.getByRole('button', { name: 'Create key' }).click();
      const prompt = page.getByRole('dialog', { name: 'Confirm your identity' });
      const enterCode = async (code: string) => {
        await prompt.getByLabel('Authenticator code').fill(code);
        await prompt.getByRole('button', { name: 'Confirm' }).click();
      };
      await enterCode('wrong');
      await prompt.getByText('The code is not valid').waitFor();
      await expectNoSeriousViolations(page);
      await prompt.getByRole('button', { name: 'Cancel' }).click();
      await form.getByText('Reauthentication is required').waitFor();
      expect(await form.getByLabel('Name').inputValue()).toBe('Billing service');

      await form.getByRole('button', { name: 'Create key' }).click();
      await enterCode(totpCode(owner.secret));
      await form.waitFor({ state: 'detached' });
      const created = page.getByRole('dialog').filter({ hasText: 'Save this value now' });
      const key = await created.locator('input').first().inputValue();
      expect((await test.instance.requestWithBearer(key, 'GET', '/api/v1/customers')).status).toBe(200);
      await page.getByRole('button', { name: 'I have saved it' }).click();
      await page.getByRole('cell', { name: 'Billing service', exact: true }).waitFor();
      // The console shows a key only once.
      expect(await page.content()).not.toContain(key);
    });

    it("CO-01: limits an operator to an organization's records, and hides the System screens", async () => {
      const mark = randomUUID().slice(0, 8);
      const { organizationId, projectId } = await insertOrganization(test.instance);
      await test.instance.sql('UPDATE organizations SET name = $2 WHERE id = $1', [organizationId, mark]);
      const limited = await insertOperator(test.instance, 'admin');
      const { email } = limited.operator;
      const page = await test.show(`/operators?q=${encodeURIComponent(email)}`);
      await page.getByRole('button', { name: `Actions for ${email}` }).click();
      await page.getByRole('menuitem', { name: 'Change access' }).click();
      const dialog = page.getByRole('dialog', { name: 'Change access' });
      const submit = dialog.getByRole('button', { name: 'Change access' });
      await dialog.getByLabel('Selected organizations').check();
      expect(await submit.isDisabled()).toBe(true);
      await dialog.getByRole('combobox', { name: 'Organizations' }).fill(mark);
      await page.getByRole('option', { name: mark }).click();
      await page.keyboard.press('Escape');
      await expectNoSeriousViolations(page);
      await submit.click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('row', { name: email }).getByText(mark).waitFor();

      await test.show('/projects', limited);
      const rows = page.getByRole('table').getByRole('row');
      await rows.nth(1).waitFor();
      expect(await rows.count()).toBe(2);
      expect(await rows.nth(1).getByRole('link').first().getAttribute('href')).toContain(projectId);
      const navigation = page.getByRole('navigation').first();
      await navigation.getByRole('link', { name: 'Audit log' }).waitFor();
      for (const name of ['Operators', 'Health'])
        expect([name, await navigation.getByRole('link', { name }).count()]).toEqual([name, 0]);
      await test.show('/health', limited);
      await page.getByText('Not available with your access').waitFor();
    });

    it('CO-01: lists the sessions of an operator, who can revoke one of them or all others', async () => {
      const invited = await inviteOperator(await insertOperator(test.instance), 'viewer');
      const { email } = invited.operator;
      const signInAgain = (): Promise<OperatorClient> =>
        signIn(test.instance, { email, password: invited.password });
      const stateOf = async (client: OperatorClient) => (await client.request('GET', '/session')).body.state;
      const others = [await signInAgain(), await signInAgain(), await signInAgain()];
      const page = await test.show('/account', invited);
      const region = page.getByRole('region', { name: 'Active sessions' });
      const entries = region.getByRole('region', { name: 'Session', exact: true });
      await entries.nth(3).waitFor();
      expect(await entries.filter({ hasText: 'Current session' }).count()).toBe(1);
      expect(await entries.filter({ hasText: 'Current session' }).getByRole('button').count()).toBe(0);
      await expectNoSeriousViolations(page);

      await entries
        .first()
        .getByRole('button', { name: /^Revoke/ })
        .click();
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke session' }).click();
      await entries.nth(3).waitFor({ state: 'detached' });
      expect(await Promise.all(others.map(stateOf))).toEqual(['signed_in', 'signed_in', 'signed_out']);
      await region.getByRole('button', { name: 'Revoke all other sessions' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke all other sessions' }).click();
      await entries.nth(1).waitFor({ state: 'detached' });
      expect(await Promise.all(others.map(stateOf))).toEqual(['signed_out', 'signed_out', 'signed_out']);
      expect(await stateOf(invited)).toBe('signed_in');

      await new OperatorClient(test.instance).request('POST', '/session', {
        email,
        password: invited.password,
      });
      await page.reload();
      await entries.first().getByText('Awaiting authenticator code').waitFor();
      expect(await region.getByText('Awaiting').count()).toBe(1);
    });

    it('opens an unlisted audit log entry by its link, and keeps the scroll position', async () => {
      const target = randomUUID();
      await test.instance.sql(
        `INSERT INTO audit_log (id, actor_type, actor_id, action, target_type, target_id, details, created_at)
       SELECT gen_random_uuid(), 'operator', $1, 'operator.updated', 'operator', $2, '{"changed":["role"]}', now()
       FROM generate_series(1, 60)`,
        [test.admin.operator.id, target],
      );
      const [last] = await test.instance.sql<{ id: string }>(
        `SELECT id FROM audit_log WHERE target_id = $1 ORDER BY id LIMIT 1`,
        [target],
      );
      const page = await test.show(`/audit?targetId=${target}&entry=${last!.id}`);
      const drawer = page.getByRole('dialog', { name: 'operator.updated' });
      await drawer.getByText(test.admin.operator.email).waitFor();
      await drawer.getByRole('button', { name: 'Close' }).click();
      await drawer.waitFor({ state: 'hidden' });

      const rows = page.getByRole('table', { name: 'entries' }).locator('tbody tr');
      await rows.nth(49).getByRole('link', { name: 'operator.updated' }).click();
      await drawer.getByText(test.admin.operator.email).waitFor();
      const scrolled = await page.evaluate<number>('window.scrollY');
      expect(scrolled).toBeGreaterThan(500);
      await drawer.getByRole('button', { name: 'Close' }).click();
      await drawer.waitFor({ state: 'hidden' });
      expect(await page.evaluate<number>('window.scrollY')).toBe(scrolled);
    });

    it('edits, previews and resets an email template of a project', async () => {
      const body = { organizationId: test.instance.credentials.organizationId, name: 'Templates' };
      const { id } = (await test.admin.request('POST', '/projects', body)).body;
      const page = await test.show(`/projects/${id}?tab=templates`);
      const row = page.getByRole('row', { name: /Invitation.*German/ });
      const select = async (action: string): Promise<void> => {
        await row.getByRole('button', { name: 'Actions for Invitation, German (de)' }).click();
        await page.getByRole('menuitem', { name: action }).click();
      };
      await select('Edit');
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Subject').fill('Hallo {{name}}');
      await dialog.getByRole('button', { name: 'Preview' }).click();
      await dialog.getByRole('alert').getByText('{{name}}').waitFor();
      await dialog.getByLabel('Subject').fill('Hallo {{email}}');
      await dialog.getByRole('button', { name: 'Preview' }).click();
      await dialog.getByRole('region', { name: 'Preview' }).getByText('Hallo ada@example.com').waitFor();
      const path = `/projects/${id}/mail-templates/accept-invite/de`;
      await dialog.getByRole('button', { name: 'Save changes' }).click();
      await dialog.waitFor({ state: 'hidden' });
      const saved = { subject: 'Hallo {{email}}' };
      expect((await test.admin.request('GET', path)).body).toMatchObject(saved);
      await row.getByText('Customized').waitFor();
      await select('Reset');
      await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click();
      await row.getByText('Default').waitFor();
    });

    it("saves project settings, and overwrites another admin's changes only if confirmed", async () => {
      const body = { organizationId: test.instance.credentials.organizationId, name: 'New' };
      const { id } = (await test.admin.request('POST', '/projects', body)).body;
      const page = await test.show(`/projects/${id}`);
      const saveAsOther = (patch: object) => test.admin.request('PATCH', `/projects/${id}`, patch);
      const savedName = async () => (await test.admin.request('GET', `/projects/${id}`)).body.name as string;
      const nameField = page.getByRole('region', { name: 'General' }).getByLabel('Name');
      const bar = page.getByRole('region', { name: 'Unsaved changes' });
      const notice = page.getByRole('alert').filter({ hasText: 'This record has changed' });
      const change = (label: string) => notice.getByRole('region', { name: label });

      await nameField.fill('Mine');
      await saveAsOther({ name: 'Theirs', settings: { passwordMinLength: 12 } });
      await bar.getByRole('button', { name: 'Save changes' }).click();
      await change('Name').getByText('Theirs').waitFor();
      expect(await change('Name').innerText()).toMatch(/Your value\s+Mine\s+Saved value\s+Theirs/);
      expect(await change('Minimum length').innerText()).toMatch(/Before\s+8\s+Saved value\s+12/);
      expect([await savedName(), await nameField.inputValue()]).toEqual(['Theirs', 'Mine']);
      await expectNoSeriousViolations(page);
      await bar.getByRole('button', { name: 'Overwrite' }).click();
      await bar.waitFor({ state: 'detached' });
      expect((await test.admin.request('GET', `/projects/${id}`)).body).toMatchObject({
        name: 'Mine',
        settings: { passwordMinLength: 12 },
      });
    });

    it('creates, edits, disables and exports customers', async () => {
      const { instance } = test;
      const { projectId } = instance.credentials;
      const mark = `c${randomUUID().slice(0, 8)}`;
      const email = (name: string): string => `${mark}-${name}@example.com`;
      const page = await test.show(`/customers?projectId=${projectId}&q=${mark}`);
      const dialog = page.getByRole('dialog');
      await page.getByRole('button', { name: 'Create customer' }).first().click();
      await dialog.getByRole('textbox', { name: 'Email', exact: true }).fill(email('a'));
      await dialog.getByLabel('Metadata', { exact: true }).fill('{"plan": "pro", "old": 1}');
      await dialog.getByLabel('Set a password').check();
      await dialog.getByRole('textbox', { name: 'Password' }).fill('an unusual long phrase');
      await expectNoSeriousViolations(page);
      await dialog.getByRole('button', { name: 'Create customer' }).click();
      await page.getByRole('heading', { level: 1, name: email('a') }).waitFor();
      expect((await instance.login(email('a'), 'an unusual long phrase')).status).toBe(200);

      await page.getByRole('tab', { name: 'Profile' }).click();
      await page.getByRole('region', { name: 'Profile' }).getByRole('button', { name: 'Edit' }).click();
      await dialog.getByLabel('First name').fill('Ada');
      await dialog.getByLabel('Metadata', { exact: true }).fill('{"plan": "free"}');
      const { id } = (
        await instance.sql<{ id: string }>('SELECT id FROM customers WHERE email = $1', [email('a')])
      )[0]!;
      const path = `/api/v1/customers/${id}`;
      await instance.requestWithSecretKey('PATCH', path, { firstName: 'Eve', lastName: 'Moss' });
      await dialog.getByRole('button', { name: 'Save changes' }).click();
      const change = dialog.getByRole('region', { name: 'First name' });
      await change.getByText('Eve').waitFor();
      expect(await change.innerText()).toMatch(/Your value\s+Ada\s+Saved value\s+Eve/);
      await dialog.getByRole('button', { name: 'Overwrite' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByText('Ada Moss').first().waitFor();
      expect((await instance.requestWithSecretKey('GET', path)).body.metadata).toEqual({ plan: 'free' });

      for (const [name, firstName] of [
        ['b', 'Bea'],
        ['c', '=1+1'],
      ])
        await instance.requestWithSecretKey('POST', '/api/v1/customers', { email: email(name!), firstName });
      await test.show(`/customers?q=${mark}`);
      await page.getByLabel('Select all rows').check();
      await page.getByRole('button', { name: 'Disable 3' }).click();
      await dialog.getByLabel('Reason').fill('Ticket 4711');
      await dialog.getByRole('button', { name: 'Disable 3' }).click();
      await page.getByText('3 customers disabled').waitFor();
      await page.getByRole('table', { name: 'customers' }).getByText('Disabled').nth(2).waitFor();
      const downloading = page.waitForEvent('download');
      await page.getByText('Export CSV', { exact: true }).click();
      const file = await readFile(await (await downloading).path(), 'utf8');
      const rows = file.split('\r\n').map((line) => line.split(','));
      const exported = rows.slice(1, -1).map(([address, firstName]) => [address, firstName]);
      expect(exported.sort()).toEqual([
        [email('a'), 'Ada'],
        [email('b'), 'Bea'],
        [email('c'), `'=1+1`],
      ]);
    });

    nightlyIt(
      'requires a second factor, and removes a passkey and an authenticator with a reason',
      async () => {
        const { instance } = test;
        const customer = await withSettings(instance, { mfa: 'optional' }, () => registerWithTotp(instance));
        await insertPasskey(instance, customer.id);
        const show = async (role: string) =>
          test.show(`/customers/${customer.id}?tab=profile`, await insertOperator(instance, role));
        const page = await show('admin');
        const section = page.getByRole('region', { name: 'Second factors' });
        await section.getByText('As the project requires').waitFor();
        await section.getByRole('button', { name: 'Require second factor' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Require second factor' }).click();
        await section.getByText('Required', { exact: true }).waitFor();
        await section.getByRole('button', { name: 'Use project setting' }).waitFor();

        await show('viewer');
        await section.getByText('10 unused').waitFor();
        await section.getByText(`…${customer.factorId.slice(-8)}`).waitFor();
        expect(await section.getByRole('button', { name: /^(Remove|Require|Use)/ }).count()).toBe(0);

        await show('operator');
        await section.getByText('Passkey “Phone”').waitFor();
        await section.getByRole('button', { name: /^Remove the passkey/ }).click();
        const passkeyDialog = page.getByRole('dialog', { name: 'Remove this passkey?' });
        await passkeyDialog.getByLabel('Reason').fill('Ticket 4710');
        await passkeyDialog.getByRole('button', { name: 'Remove passkey' }).click();
        await passkeyDialog.waitFor({ state: 'hidden' });
        await section.getByText('Passkey “Phone”').waitFor({ state: 'hidden' });
        await section.getByRole('button', { name: /^Remove the authenticator/ }).click();
        const dialog = page.getByRole('dialog', { name: 'Remove this authenticator?' });
        await dialog.getByText('All sessions of the customer will end').waitFor();
        const confirm = dialog.getByRole('button', { name: 'Remove authenticator' });
        expect(await confirm.isEnabled()).toBe(false);
        await expectNoSeriousViolations(page);
        await dialog.getByLabel('Reason').fill('Ticket 4711');
        await confirm.click();
        await dialog.waitFor({ state: 'hidden' });
        await section.getByText('No authenticators').waitFor();
        expect(await section.getByRole('button').count()).toBe(0);
        const { accessToken } = customer.tokens;
        expect((await instance.requestWithAccessToken(accessToken, 'GET', '/api/v1/me')).status).toBe(401);

        await page.getByRole('tab', { name: 'Timeline' }).click();
        for (const row of [
          /^Passkey removed.*Ticket 4710.*Operator /,
          /^Authenticator removed.*Ticket 4711.*Operator /,
          /^Session ended: second factor removed/,
          /^Customer created/,
        ])
          await page.getByRole('row', { name: row }).first().waitFor();
        expect(await page.getByRole('row', { name: /^Authenticator removed/ }).count()).toBe(1);
        await page.getByRole('combobox', { name: 'Kind' }).click();
        await page.getByRole('option', { name: 'Emails' }).click();
        await page.getByRole('row', { name: /^Customer created/ }).waitFor({ state: 'detached' });
        await page.getByRole('link', { name: /^Second factor removed email/ }).click();
        const drawer = page.getByRole('dialog', { name: 'Second factor removed' });
        await drawer.getByText(customer.email).waitFor();
        await expectNoSeriousViolations(page);
        await page.keyboard.press('Escape');
        await drawer.waitFor({ state: 'hidden' });
        await page.getByRole('link', { name: 'All emails' }).click();
        await page.getByRole('row', { name: /^Second factor removed/ }).waitFor();
      },
    );
  },
);
