import type { Page } from 'playwright-core';
import { insertTotpFactor } from './customer-factors.js';
import { waitForDeadLetters } from './dead-letters.js';
import { eventually } from './eventually.js';
import { newProvider } from './identity-providers/provider-requests.js';
import { insertIdentity } from './identity-providers/insert-provider.js';
import { insertOperator } from './operator-client.js';
import { Receiver, respondWithStatus } from './receiver.js';
import type { TestInstance } from './test-instance.js';
import { uniqueEmail } from './unique-email.js';

/**
 * Returns markup that runs a script in an operator's browser unless it is escaped.
 * @param field the field that contains the markup
 */
const hostileText = (field: string): string =>
  `${field}<img src=x onerror='window.wasRun=1'><script>window.wasRun=1</script>`;

/** The fields that each screen must display as plain text. */
const fieldsByScreen: Record<string, string[]> = {
  deliveries: ['endpoint'],
  'dead-letters': ['endpoint'],
  endpoints: ['endpoint', 'url', 'project', 'organization'],
  batches: ['reason'],
  events: ['email', 'project'],
  customers: ['email', 'name'],
  organizations: ['organization'],
  projects: ['project'],
  audit: ['operator', 'details'],
  mails: ['email', 'response', 'project'],
  mailbox: ['email', 'project'],
  operators: ['operator'],
  delivery: ['endpoint', 'url', 'body', 'email', 'project'],
  endpoint: ['endpoint', 'url', 'description', 'project', 'organization'],
  batch: ['reason'],
  event: ['email', 'metadata', 'project', 'organization'],
  customer: ['email', 'name', 'project', 'operator', 'details', 'response'],
  'customer-profile': ['email', 'name', 'metadata', 'project', 'image', 'provider', 'subject', 'address'],
  'customer-sessions': ['agent'],
  'customer-webhooks': ['endpoint'],
  organization: ['organization'],
  project: ['project'],
  'project-providers': ['provider'],
  'project-keys': ['key'],
  provider: ['provider', 'issuer', 'client'],
};

/**
 * A script that returns the markup on the current page that is not displayed as plain text: elements, links that can
 * be followed, and scripts that ran.
 */
const INJECTED_ELEMENTS = `[
  ...document.querySelectorAll('[onerror]'),
  ...[...document.scripts].filter(({ text }) => text.includes('wasRun')),
  ...[...document.links].filter(({ protocol }) => !/^https?:$/.test(protocol)),
].map(({ outerHTML }) => outerHTML).concat('wasRun' in window ? 'it ran' : [])`;

/**
 * Creates one record of each kind, such as a dead letter, a bulk redelivery, and a customer with an authenticator and
 * an identity. All fields that customers and receivers can set contain markup.
 */
export async function insertMarkup(instance: TestInstance): Promise<void> {
  const receiver = await Receiver.start();
  receiver.defaultResponder = respondWithStatus(500, hostileText('body'));
  const { id } = await instance.createEndpoint(receiver.url, ['customer.created']);
  const email = uniqueEmail();
  await instance.register(email);
  const ids = await waitForDeadLetters(instance, id, 1);
  await receiver.stop();
  const notificationQuery = `SELECT FROM events WHERE type = 'webhook.dead_lettered' AND body LIKE '%' || $1 || '%'`;
  await eventually(
    'the notifications for all dead letters',
    async () => (await instance.sql(notificationQuery, ids)).length === 1,
  );
  // The project screen is tested with the newest project.
  const [project] = await instance.sql<{ id: string }>('SELECT id FROM projects ORDER BY id DESC LIMIT 1');
  const providers = `/api/v1/projects/${project!.id}/identity-providers`;
  expect((await instance.requestWithSecretKey('POST', providers, newProvider())).status).toBe(201);
  const batch = await instance.requestWithSecretKey('POST', '/v1/webhooks/redeliveries', {
    filter: { endpoint_id: id },
  });
  expect(batch).toMatchObject({ status: 201, body: { data: { eligible: 1 } } });
  await instance.requestWithSecretKey('POST', `/v1/webhooks/redeliveries/${batch.body.data.id}/cancel`);
  const [customer] = await instance.sql<{ id: string }>(`SELECT id FROM customers WHERE email = $1`, [email]);
  // The newest event is about this customer.
  const metadata = { note: hostileText('metadata') };
  await instance.requestWithSecretKey('PATCH', `/api/v1/customers/${customer!.id}`, { metadata });
  await insertTotpFactor(instance, customer!.id);
  await insertIdentity(instance, customer!.id);
  await writeMarkup(instance, customer!.id, email);
}

/** Writes markup directly to the tables, including to fields for which the API rejects it. */
async function writeMarkup(instance: TestInstance, customerId: string, email: string): Promise<void> {
  const author = await insertOperator(instance, 'viewer');
  const fields = {
    webhook_endpoints: { name: 'endpoint', url: 'url', description: 'description' },
    deliveries: { target_url: 'url' },
    attempts: { target_url: 'url' },
    redelivery_batches: { reason: 'reason' },
    customers: { first_name: 'name', image_url: 'image' },
    identities: { subject: 'subject', email: 'address' },
    sessions: { user_agent: 'agent' },
    mails: { recipient: 'email', response: 'response' },
    organizations: { name: 'organization' },
    projects: { name: 'project' },
    api_keys: { name: 'key' },
    identity_providers: { name: 'provider', issuer: 'issuer', client_id: 'client' },
  };
  // The columns are read only if the settings document is missing.
  await instance.sql('UPDATE identity_providers SET settings = NULL');
  for (const [table, columns] of Object.entries(fields)) {
    for (const [column, field] of Object.entries(columns)) {
      const text = column.endsWith('url') ? `javascript:${hostileText(field)}` : hostileText(field);
      await instance.sql(`UPDATE ${table} SET ${column} = $1`, [text]);
    }
  }
  await instance.sql(`UPDATE events SET body = replace(body, $2, $3) WHERE customer_id = $1`, [
    customerId,
    email,
    hostileText('email'),
  ]);
  // Email addresses are unique.
  await instance.sql(`UPDATE customers SET email = $2 || id WHERE id = $1`, [
    customerId,
    hostileText('email'),
  ]);
  await instance.sql(`UPDATE operators SET email = $2 || id, name = $2 WHERE id = $1`, [
    author.operator.id,
    hostileText('operator'),
  ]);
  await instance.sql(
    `INSERT INTO audit_log (id, actor_type, actor_id, action, target_type, target_id, details, created_at)
     VALUES (('ffffffff-' || substr(gen_random_uuid()::text, 10))::uuid, 'operator', $1, 'customer.updated',
       'customer', $2, jsonb_build_object('changed', jsonb_build_array($3::text)), now())`,
    [author.operator.id, customerId, hostileText('details')],
  );
}

/**
 * Returns the fields whose markup is missing on a screen, and the markup that is not displayed as plain text.
 * @param name the screen's name
 */
export async function findMarkupProblems(page: Page, name: string): Promise<string[]> {
  const problems: string[] = [];
  for (const field of fieldsByScreen[name] ?? []) {
    const text = page.getByText(hostileText(field)).filter({ visible: true }).first();
    await text.waitFor().catch(() => problems.push(`shows no ${field}`));
  }
  return [...problems, ...(await page.evaluate<string[]>(INJECTED_ELEMENTS))];
}
