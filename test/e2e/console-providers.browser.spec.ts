import { expectNoSeriousViolations } from '../support/accessibility.js';
import { ConsolePage } from '../support/console-page.js';
import { describeConsole } from '../support/console-tests.js';
import { GitHubStandIn } from '../support/identity-providers/github-stand-in.js';
import { insertIdentity } from '../support/identity-providers/insert-provider.js';
import { createDomainProvider, newDomain } from '../support/identity-providers/provider-domains.js';

describeConsole('the console: identity providers', { allowClientErrors: true }, (test) => {
  let gitHub: GitHubStandIn;
  beforeAll(async () => (gitHub = await GitHubStandIn.start()));
  afterAll(async () => gitHub?.stop());

  it('FE-01: adds a provider before its client exists, then completes, tests and deletes it', async () => {
    const { projectId } = test.instance.credentials;
    const page = await test.show(`/projects/${projectId}?tab=providers`);
    const ui = new ConsolePage(page, test.instance);
    const providers = `/projects/${projectId}/identity-providers`;
    const read = async (): Promise<Record<string, any>> =>
      (await test.admin.request('GET', providers)).body.data[0];

    await ui.button('Add provider').click();
    await ui.dialog().getByRole('combobox', { name: 'Type' }).click();
    await page.getByRole('option', { name: 'GitHub' }).click();
    expect(await ui.dialog().getByLabel('Trust email addresses').count()).toBe(0);
    await ui.dialog().getByLabel('URL of GitHub Enterprise Server').fill(gitHub.url);
    await ui.dialog().getByLabel('Trust email addresses').click();
    await ui.dialog().getByLabel('Slug').fill('x');
    await ui.dialogButton('Add provider').click();
    await ui.waitForText('Must be 3 to 48 characters');
    await expectNoSeriousViolations(page);
    await ui.dialog().getByLabel('Slug').fill('work');
    await ui.dialogButton('Add provider').click();
    await page.getByRole('heading', { level: 1, name: 'GitHub' }).waitFor();
    const { callbackUrl, ...added } = await read();
    expect(added).toMatchObject({ type: 'github', slug: 'work', clientId: 'pending', enabled: false });
    expect(added['trustEmail']).toBe(true);
    await ui.waitForText('Trusted in verified domains');
    await ui.button('Edit domains').waitFor();
    await ui.waitForText('The client is not set up yet');
    await ui.waitForText(callbackUrl as string);
    await expectNoSeriousViolations(page);

    const client = gitHub.addClient({ redirectUri: callbackUrl });
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await ui.dialog().getByLabel('Client ID', { exact: true }).fill(client.clientId);
    await ui.dialog().getByLabel('Client secret').first().fill(client.clientSecret);
    await ui.dialog().getByLabel('Name', { exact: true }).fill('Work account');
    await expectNoSeriousViolations(page);
    await ui.dialogButton('Save changes').click();
    await page.getByRole('heading', { level: 1, name: 'Work account' }).waitFor();
    await ui.button('Test connection').click();
    await ui.waitForText('The provider accepts the client.');
    await expectNoSeriousViolations(page);
    await ui.button('Enable').click();
    await ui.dialogButton('Enable').click();
    await ui.button('Disable').waitFor();

    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    expect(await ui.dialog().getByLabel('Client secret').first().inputValue()).toBe('');
    await ui.dialog().getByLabel('Allow sign-up').click();
    await ui.dialogButton('Save changes').click();
    await ui.dialog().waitFor({ state: 'detached' });
    expect(await read()).toMatchObject({ enabled: true, allowSignUp: false, hasClientSecret: true });
    await ui.button('Test connection').click();
    await ui.waitForText('The provider accepts the client.');

    const customerId = (await test.instance.register()).body.customer.id as string;
    const providerId = added['id'] as string;
    const identity = await insertIdentity(test.instance, customerId, { providerId });
    await ui.button('Delete provider').click();
    await ui.dialog().getByRole('textbox').fill('work');
    await ui.dialogButton('Delete provider').click();
    await ui.waitForText('Customers have 1 identity at this provider.');
    await test.instance.sql('DELETE FROM identities WHERE id = $1', [identity]);
    await ui.dialogButton('Delete provider').click();
    await ui.waitForText('No identity providers yet');
    expect(await read()).toBeUndefined();
  });

  it('FE-06: adds a domain, shows its DNS record and error, and requires the provider', async () => {
    const provider = await createDomainProvider(test.instance, { name: 'Acme staff' });
    const { projectId } = test.instance.credentials;
    const path = `/projects/${projectId}/identity-providers/${provider.id}`;
    const page = await test.show(path);
    const ui = new ConsolePage(page, test.instance);
    const added = newDomain();
    await ui.button('Edit domains').click();
    await ui.dialog().getByLabel('Domains').fill(`${provider.domain}\nco.uk`);
    await ui.dialogButton('Save changes').click();
    await ui.waitForText('Must contain domains in lowercase');
    await ui.dialog().getByLabel('Domains').fill(`${provider.domain}\n${added}`);
    await ui.dialog().getByLabel('Require this provider').click();
    await expectNoSeriousViolations(page);
    await ui.dialogButton('Save changes').click();
    const item = page.getByRole('article', { name: added });
    await item.waitFor();
    const { body } = await test.admin.request('GET', path);
    expect(body).toMatchObject({ domains: [provider.domain, added].sort(), required: true });
    const { record } = body.domainVerifications.find(({ domain }: { domain: string }) => domain === added);
    await item.getByText(record.name).waitFor();
    await item.getByText(record.value).waitFor();
    await item.getByText('Not verified').waitFor();
    await item.getByRole('button', { name: 'Check now' }).click();
    await item.getByText('could not be looked up').waitFor();
    await expectNoSeriousViolations(page);
  });
});
