import type { Page } from 'playwright-core';
import { seriousViolations } from '../support/accessibility.js';
import { describeBrowser, TestBrowser } from '../support/browser.js';
import { openScreen, screens } from '../support/console-screens.js';
import { deadLetters, hastily } from '../support/dead-letters.js';
import { eventually } from '../support/eventually.js';
import { TestInstance } from '../support/test-instance.js';
import { insertOperator } from '../support/operator.js';
import { Receiver, status } from '../support/receiver.js';
import { uniqueEmail } from '../support/unique-email.js';

/** What a stranger could send to be run in the browser of whoever looks at it. @param field what it stands in */
const strange = (field: string): string =>
  `${field}<img src=x onerror='window.wasRun=1'><script>window.wasRun=1</script>`;

/** Where it is to be read, as text. */
const SHOWN: Record<string, string[]> = {
  deliveries: ['url'],
  'dead-letters': ['url'],
  endpoints: ['url', 'project', 'organization'],
  batches: ['reason'],
  events: ['email', 'project'],
  customers: ['email', 'name'],
  organizations: ['organization'],
  projects: ['project'],
  audit: ['operator', 'details'],
  mailbox: ['email', 'project'],
  operators: ['operator'],
  delivery: ['url', 'body', 'email', 'project'],
  endpoint: ['url', 'description', 'project', 'organization'],
  batch: ['reason'],
  event: ['email', 'metadata', 'project', 'organization'],
  customer: ['email', 'name', 'metadata', 'project'],
  'customer-sessions': ['agent'],
  'customer-webhooks': ['url'],
  'customer-audit': ['operator', 'details'],
  organization: ['organization'],
  project: ['project'],
  'project-keys': ['key'],
};

/** What of that became more than text, on the page as it stands: elements, links to be followed, something that ran. */
const MADE_OF_TEXT = `[
  ...document.querySelectorAll('[onerror]'),
  ...[...document.scripts].filter(({ text }) => text.includes('wasRun')),
  ...[...document.links].filter(({ protocol }) => !/^https?:$/.test(protocol)),
].map(({ outerHTML }) => outerHTML).concat('wasRun' in window ? 'it ran' : [])`;

/** What of the navigation reaches over its edge, where it stands beside the page. */
const OVER_THE_EDGE = `[...document.querySelectorAll('aside *')]
  .filter((each) => each.getBoundingClientRect().right > each.closest('aside').getBoundingClientRect().right)
  .map(({ textContent }) => 'over the edge: ' + textContent)`;

describeBrowser('every screen of the console', () => {
  let instance: TestInstance;
  let browser: TestBrowser;
  beforeAll(async () => {
    instance = await TestInstance.start({ env: { ...hastily, RATE_LIMITS: 'off' } });
    browser = await TestBrowser.launch();
    await makeRecords();
  });
  afterAll(async () => {
    await browser?.close();
    await instance?.stop();
  });

  /** One of each: a dead letter about a new customer, and a batch, with markup in all that strangers write. */
  const makeRecords = async (): Promise<void> => {
    const receiver = await Receiver.start();
    receiver.otherwise = status(500, strange('body'));
    const { id } = await instance.createEndpoint(receiver.url, ['customer.created']);
    const email = uniqueEmail();
    await instance.register(email);
    const ids = await deadLetters(instance, id, 1);
    await receiver.stop();
    const isTold = `SELECT FROM events WHERE type = 'webhook.dead_lettered' AND body LIKE '%' || $1 || '%'`;
    await eventually('all being told of it', async () => (await instance.sql(isTold, ids)).length === 1);
    const batch = await instance.server('POST', '/v1/webhooks/redeliveries', { filter: { endpoint_id: id } });
    expect(batch).toMatchObject({ status: 201, body: { data: { eligible: 1 } } });
    await instance.server('POST', `/v1/webhooks/redeliveries/${batch.body.data.id}/cancel`);
    const [customer] = await instance.sql<{ id: string }>(`SELECT id FROM customers WHERE email = $1`, [
      email,
    ]);
    // The newest event is about them.
    const metadata = { note: strange('metadata') };
    await instance.server('PATCH', `/api/v1/customers/${customer!.id}`, { metadata });
    await writeMarkup(customer!.id, email);
  };

  /** Also where the API refuses it. */
  const writeMarkup = async (customerId: string, email: string): Promise<void> => {
    const author = await insertOperator(instance, 'viewer');
    const fields = {
      webhook_endpoints: { url: 'url', description: 'description' },
      deliveries: { target_url: 'url' },
      attempts: { target_url: 'url' },
      redelivery_batches: { reason: 'reason' },
      customers: { first_name: 'name' },
      sessions: { user_agent: 'agent' },
      mails: { recipient: 'email' },
      organizations: { name: 'organization' },
      projects: { name: 'project' },
      api_keys: { name: 'key' },
    };
    for (const [table, columns] of Object.entries(fields)) {
      for (const [column, field] of Object.entries(columns)) {
        const text = column.endsWith('url') ? `javascript:${strange(field)}` : strange(field);
        await instance.sql(`UPDATE ${table} SET ${column} = $1`, [text]);
      }
    }
    await instance.sql(`UPDATE events SET body = replace(body, $2, $3) WHERE customer_id = $1`, [
      customerId,
      email,
      strange('email'),
    ]);
    // No two addresses are the same.
    await instance.sql(`UPDATE customers SET email = $2 || id WHERE id = $1`, [customerId, strange('email')]);
    await instance.sql(`UPDATE operators SET email = $2 || id, name = $2 WHERE id = $1`, [
      author.operator.id,
      strange('operator'),
    ]);
    await instance.sql(
      `INSERT INTO audit_log (id, actor_type, actor_id, action, target_type, target_id, details, created_at)
       VALUES (('ffffffff-' || substr(gen_random_uuid()::text, 10))::uuid, 'operator', $1, 'customer.updated',
         'customer', $2, jsonb_build_object('changed', $3::text), now())`,
      [author.operator.id, customerId, strange('details')],
    );
  };

  const reads = (look: Page, field: string): Promise<void> =>
    look.getByText(strange(field)).filter({ visible: true }).first().waitFor({ timeout: 10_000 });

  /** Whether a page itself can be scrolled sideways at the width of a phone. */
  const isTooWide = async (look: Page): Promise<boolean> => {
    const size = look.viewportSize()!;
    await look.setViewportSize({ width: 390, height: 844 });
    const fits = () => look.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth');
    const isFitting = await eventually('a page that fits', fits).catch(() => false);
    await look.setViewportSize(size);
    return !isFitting;
  };

  /** Shows it as those see it who prefer the dark, with no colour still on its way. */
  const darken = async (look: Page): Promise<void> => {
    await look.emulateMedia({ colorScheme: 'dark' });
    await look.locator('html[data-mantine-color-scheme="dark"]').waitFor({ state: 'attached' });
    await look.evaluate(
      `Promise.allSettled(document.getAnimations().filter((a) => a instanceof CSSTransition).map((a) => a.finished))`,
    );
  };

  it('each is accessible, light and dark, fits 390 px, and leaves what strangers wrote text (CO-03)', async () => {
    const look = await openScreen(browser, instance, await insertOperator(instance), '/');
    const faults: string[] = [];
    for (const { name, path } of await screens(instance)) {
      await look.emulateMedia({ colorScheme: 'light' });
      await look.goto(`${instance.baseUrl}/console${path}`);
      await look.getByRole('heading', { level: 1 }).waitFor();
      await look.waitForLoadState('networkidle');
      const found = await seriousViolations(look);
      for (const field of SHOWN[name] ?? []) {
        await reads(look, field).catch(() => found.push(`shows no ${field}`));
      }
      found.push(...(await look.evaluate<string[]>(MADE_OF_TEXT)));
      found.push(...(await look.evaluate<string[]>(OVER_THE_EDGE)));
      if (await isTooWide(look)) found.push('scrolls sideways at 390 px');
      // The same page with other colours: nothing else of it can differ.
      await darken(look);
      const dark = await seriousViolations(look, ['color-contrast']);
      faults.push(
        ...[...found, ...dark.map((fault) => `dark: ${fault}`)].map((fault) => `${name}: ${fault}`),
      );
    }
    expect(faults).toEqual([]);
    // Some thirty screens: on a slow machine each takes a few seconds.
  }, 300_000);

  it('complains of nothing', () => {
    expect(browser.complaints).toEqual([]);
  });
});
