import { seriousViolations } from '../support/accessibility.js';
import { describeConsole, waitForHeading, readBrowserStorage, submitForm } from '../support/console-tests.js';
import { eventually } from '../support/eventually.js';
import { inviteOperator } from '../support/operator-client.js';
import { uniqueEmail } from '../support/unique-email.js';
import './console-sign-in.browser.spec.js';

describeConsole('the console: setup and account', { allowClientErrors: true }, (test) => {
  it('creates the first admin at the setup link, and rejects a wrong token', async () => {
    const page = await test.browser.open(`${test.instance.baseUrl}/console/setup#token=${'x'.repeat(43)}`);
    await waitForHeading(page, 'Set up Gatehouse');
    expect(page.url()).toBe(`${test.instance.baseUrl}/console/setup`);
    expect(await seriousViolations(page)).toEqual([]);
    await submitForm(page, { username: uniqueEmail(), 'new-password': 'an unusual long phrase' });
    await page.getByText('This link is invalid').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.context().close();
  });

  it('CO-01: marks automatic requests once the page has been idle for a minute', async () => {
    const page = await test.open('/deliveries');
    await waitForHeading(page, 'Deliveries');
    await page.clock.install();
    // The page counts its pending requests, because the clock must advance only after each response has arrived.
    await page.addInitScript(`{
      const originalFetch = window.fetch;
      window.sentValues = [];
      window.pendingRequests = 0;
      window.fetch = (...args) => {
        const request = new Request(...args);
        if (!request.url.includes('/dead-letters/count')) return originalFetch(request);
        window.sentValues.push(request.headers.get('x-gatehouse-console'));
        window.pendingRequests += 1;
        return originalFetch(request).finally(() => (window.pendingRequests -= 1));
      };
    }`);
    await page.reload();
    await waitForHeading(page, 'Deliveries');
    /** Lets this many seconds pass. Returns the header values that the requests for the badge have contained. */
    const collectSentValues = async (seconds: number): Promise<Set<string>> => {
      await page.evaluate('window.sentValues = []');
      for (let second = 0; second < seconds; second += 5) {
        await page.clock.runFor(5_000);
        await eventually('the response', () => page.evaluate<boolean>('window.pendingRequests === 0'));
        await page.waitForTimeout(20);
      }
      return new Set(await page.evaluate<string[]>('window.sentValues'));
    };
    expect(await collectSentValues(45)).toEqual(new Set(['1']));
    await collectSentValues(30);
    expect(await collectSentValues(120)).toEqual(new Set(['resting']));
    await page.mouse.move(200, 200);
    expect(await collectSentValues(45)).toEqual(new Set(['1']));
    await page.context().close();
  });

  it('CO-05: changes the password and recovery codes, and stores neither in the browser', async () => {
    const invited = await inviteOperator(test.admin, 'viewer');
    const page = await test.open('/account', invited);
    await waitForHeading(page, 'Account');
    const form = page.getByRole('region', { name: 'Password', exact: true });
    await form.locator('input[name=current-password]').fill('not the right one');
    await form.locator('input[name=new-password]').fill('another unusual phrase');
    await form.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('The current password is incorrect').waitFor();
    await form.locator('input[name=current-password]').fill(invited.password);
    await form.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Password changed').waitFor();
    await page.getByLabel('Authenticator code').fill(invited.recoveryCodes[0]!);
    await page.getByRole('button', { name: 'Generate new codes' }).click();
    const list = page.getByRole('list', { name: 'Recovery codes' });
    await list.waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    expect(await readBrowserStorage(page)).not.toMatch(/phrase|[a-z0-9]{5}-[a-z0-9]{5}/);
    await page.getByLabel('I have saved these codes').check();
    await page.getByRole('button', { name: 'Continue' }).click();
    await list.waitFor({ state: 'detached' });
    await page.context().close();
  });
});
