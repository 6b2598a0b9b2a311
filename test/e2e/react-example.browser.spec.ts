import { describeBrowser, TestBrowser } from '../support/browser.js';
import { Example } from '../support/example.js';
import { PASSWORD, TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';
import { addVirtualAuthenticator } from '../support/virtual-authenticator.js';

describeBrowser('examples/react-express', () => {
  let instance: TestInstance;
  let browser: TestBrowser;
  let example: Example;
  beforeAll(async () => {
    [instance, browser] = await Promise.all([TestInstance.startShared(), TestBrowser.startShared()]);
    example = await Example.start('react-express', instance);
  });
  afterAll(async () => {
    await browser?.close();
    await example?.stop();
    await instance?.stop();
  });

  it('leads from the sign-up to its own API and to the webhooks about the customer', async () => {
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
  });
});
