import { describeBrowser, TestBrowser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { Example } from '../support/example.js';
import { PASSWORD, TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

describeBrowser('examples/nestjs', () => {
  let instance: TestInstance;
  let example: Example;
  let browser: TestBrowser;
  beforeAll(async () => {
    instance = await TestInstance.startShared();
    [example, browser] = await Promise.all([Example.start('nestjs', instance), TestBrowser.startShared()]);
  });
  afterAll(async () => {
    await browser?.close();
    await example?.stop();
    await instance?.stop();
  });

  it('protects its routes, and receives a webhook about the customer who deletes the account', async () => {
    const email = uniqueEmail();
    const page = await browser.open(example.url);
    const click = (name: string) => page.getByRole('button', { name, exact: true }).click();
    const output = page.locator('output');

    await page.getByText('Not signed in').waitFor();
    await click('List orders');
    await output.getByText('invalid_access_token').waitFor();
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await click('Sign up');
    await page.getByText(`Signed in as ${email}`).waitFor();

    await click('List orders');
    await output.getByText('Ladder').waitFor();
    const { customerId } = JSON.parse((await output.textContent())!);
    const { body } = await instance.requestWithSecretKey('GET', `/api/v1/customers?email=${email}`);
    expect(body.data).toMatchObject([{ id: customerId }]);
    await click('Pay');
    await output.getByText('reauthentication_required').waitFor();

    await page.reload();
    await page.getByText(`Signed in as ${email}`).waitFor();
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await click('Delete account');
    await page.getByText('Not signed in').waitFor();
    await page
      .getByRole('listitem')
      .filter({ hasText: `delete the records of ${customerId}` })
      .waitFor();
    await eventually('the webhook in the output', () =>
      example.output.includes(`delete the records of ${customerId}`),
    );
    await page.context().close();
  });
});
