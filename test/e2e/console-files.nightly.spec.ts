import { seriousViolations } from '../support/accessibility.js';
import { describeConsole, submitForm, waitForHeading } from '../support/console-tests.js';
import { insertOperator } from '../support/operator-client.js';
import { totpCode } from '../support/totp.js';
import { uniqueEmail } from '../support/unique-email.js';

describeConsole('the console: missing files and late enrollment', { allowClientErrors: true }, (test) => {
  it('keeps the navigation if files of a screen are missing, and reloads once after an upgrade', async () => {
    const page = await test.show('/account');
    const open = (name: string) => page.getByRole('link', { name, exact: true }).click();
    const remove = (file: string) =>
      page.route(`**/assets/${file}`, (route) => route.fulfill({ status: 404 }));
    const documents: string[] = [];
    page.on('request', (request) => request.isNavigationRequest() && documents.push(request.url()));
    await waitForHeading(page, 'Account');
    await remove('endpoints.screen-*.js');
    await open('Endpoints');
    await waitForHeading(page, 'This page could not be loaded');
    expect(await seriousViolations(page)).toEqual([]);
    await open('Organizations');
    await waitForHeading(page, 'Organizations');
    expect(documents).toEqual([]);

    // The server has new files, but this screen's file is still missing.
    await page.route('**/console/', (route) =>
      route.fulfill({ body: '<script src="/console/assets/index-new.js">' }),
    );
    await open('Endpoints');
    await waitForHeading(page, 'This page could not be loaded');
    expect(documents).toEqual([`${test.instance.baseUrl}/console/endpoints`]);
    await page.unroute('**/assets/endpoints.screen-*.js');
    await page.getByRole('button', { name: 'Reload' }).click();
    await waitForHeading(page, 'Endpoints');

    await remove('*');
    await page.goto(`${test.instance.baseUrl}/console/organizations`);
    await page.unroute('**/assets/*');
    await page.getByRole('link', { name: 'reload the page' }).click();
    await waitForHeading(page, 'Organizations');
    await page.unrouteAll();
  });

  it('signs in without an authenticator in development, and sets one up later', async () => {
    const { operator } = await insertOperator(test.instance);
    await test.instance.sql('UPDATE operators SET totp_secret = NULL WHERE id = $1', [operator.id]);
    const page = await test.show('/account', null);
    await submitForm(page, {
      username: operator.email,
      password: test.instance.credentials.operator.password,
    });
    await waitForHeading(page, 'Set up two-factor authentication');
    await page.getByRole('button', { name: 'Skip for now' }).click();
    await waitForHeading(page, 'Account');
    await page.getByRole('link', { name: 'Operators' }).click();
    await page.getByRole('button', { name: 'Invite operator' }).click();
    await page.getByRole('dialog').getByLabel('Email').fill(uniqueEmail());
    const invite = page.getByRole('dialog').getByRole('button', { name: 'Invite operator' });
    expect(await invite.isDisabled()).toBe(true);
    await page.getByRole('dialog').getByRole('link', { name: 'Account' }).click();
    await page.getByRole('button', { name: 'Set up two-factor authentication' }).click();
    const secret = (await page.locator('code').textContent())!.replace(/\s/g, '');
    await page.locator('input[name=code]').fill(totpCode(secret));
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('I have saved these codes').check();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Generate new codes' }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  });
});
