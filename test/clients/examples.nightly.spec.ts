import { describeBrowser, TestBrowser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { Example } from '../support/example.js';
import { PASSWORD, TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';
import { addVirtualAuthenticator } from '../support/virtual-authenticator.js';

describeBrowser('an example in a browser', () => {
  let instance: TestInstance;
  let browser: TestBrowser;
  const examples: Example[] = [];
  beforeAll(async () => {
    [instance, browser] = await Promise.all([TestInstance.startShared(), TestBrowser.startShared()]);
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all(examples.map((example) => example.stop()));
    await instance?.stop();
  });

  const startExample = async (name: string): Promise<Example> => {
    const example = await Example.start(name, instance);
    examples.push(example);
    return example;
  };

  it('protects the routes of examples/nestjs, and delivers a webhook about a deleted account', async () => {
    const example = await startExample('nestjs');
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

  it('signs up in examples/react-express, calls its API, and receives its webhooks', async () => {
    const example = await startExample('react-express');
    browser.consoleMessages.length = 0;
    const page = await browser.open(example.url);
    await addVirtualAuthenticator(page);
    const email = uniqueEmail();
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText(`Signed in as ${email}`).waitFor();
    await page.getByRole('list', { name: 'Orders' }).getByText('Ladder').waitFor();
    await page.getByRole('list', { name: 'Webhooks' }).getByText('customer.created').waitFor();

    const [{ id }] = (await instance.sql('SELECT id FROM customers WHERE email = $1', [email])) as [
      { id: string },
    ];
    await instance.requestWithSecretKey('DELETE', `/api/v1/customers/${id}`);
    await page.getByText(`customer.deleted ${id}`).waitFor();
    expect(browser.consoleMessages.filter((text) => /error/i.test(text))).toEqual([]);
    await page.context().close();
  });
});
