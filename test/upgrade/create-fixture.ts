import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import pg from 'pg';
import { scopes } from '@gatehouse/domain';
import { createDatabase, dropDatabase } from '../support/databases.mjs';
import { inviteOperator, signIn, type OperatorClient } from '../support/operator-client.js';
import { Receiver, respondWithStatus } from '../support/receiver.js';
import { PASSWORD, TestInstance } from '../support/test-instance.js';
import { countRows, dumpDatabase, formatDump } from './database-dump.js';
import { CustomerFiller } from './fill-customers.js';
import { WebhookFiller } from './fill-webhooks.js';
import { FOLDER } from './fixture.js';
import type { Manifest, ProjectKeys } from './manifest.js';
import { restore } from './restore.js';

/**
 * Runs the built api and worker, fills their database through the API, and writes a version's dump with its manifest.
 * Only the programs insert rows.
 */
export async function createFixture(
  version: string,
  commit: string,
  report: (line: string) => void,
): Promise<void> {
  const [good, bad, alerts] = await Promise.all([Receiver.start(), Receiver.start(), Receiver.start()]);
  alerts.defaultResponder = respondWithStatus(204);
  const env = {
    RATE_LIMITS: 'off',
    WEBHOOK_RETRY_SCHEDULE: '0s,0s,0s,0s,0s',
    ALERT_WEBHOOK_URL: alerts.url,
    OPERATOR_EMAIL: 'admin@example.com',
    OPERATOR_PASSWORD: PASSWORD,
  };
  const instance = await TestInstance.start({ env, workers: 0 });
  try {
    const operator = await signIn(instance);
    const projects = await createProjects(instance, operator);
    const customers = new CustomerFiller(instance, projects);
    const webhooks = new WebhookFiller(instance, projects, customers, good, bad);
    await webhooks.createEndpoints();
    instance.startWorker();
    await instance.waitUntilReady();
    report('installation started');
    const { native, locked, refreshTokens } = await customers.createActiveCustomers();
    await customers.manageCustomers();
    await webhooks.resolveDeadLetters();
    report('active customers and their deliveries created');
    const deliveries = await webhooks.leavePending();
    await customers.deleteOne();
    report('pending deliveries created');
    const imported = await customers.importCustomers();
    report('customers imported');
    await createOperators(instance, operator);
    await instance.api.stop();
    const description: Omit<Manifest, 'dumpedAt' | 'migrations' | 'rowCounts'> = {
      version,
      commit,
      rootSecret: instance.env['GATEHOUSE_SECRET']!,
      password: PASSWORD,
      projects,
      operator: {
        email: operator.operator.email,
        password: PASSWORD,
        totpSecret: operator.secret,
        recoveryCodes: operator.recoveryCodes,
      },
      customers: { native, locked, ...imported },
      refreshTokens,
      ...deliveries,
    };
    await writeFixture(instance.env['MIGRATE_DATABASE_URL']!, description);
    report(`test/upgrade/${version}.sql.gz and ${version}.json written`);
  } finally {
    await instance.stop();
    await Promise.all([good, bad, alerts].map((receiver) => receiver.stop()));
  }
}

/**
 * Creates two projects in addition to the first one, one of them in another organization, and keys in every
 * state.
 */
async function createProjects(
  instance: TestInstance,
  operator: OperatorClient,
): Promise<Manifest['projects']> {
  const { organizationId, projectId, secretKey, publishableKey } = instance.credentials;
  const send = async (method: string, path: string, body?: object): Promise<Record<string, any>> => {
    const response = await operator.request(method, path, body);
    if (response.status < 300) return response.body as Record<string, any>;
    throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`);
  };
  const create = async (owner: string, name: string, settings = {}): Promise<ProjectKeys> => {
    const { id } = await send('POST', '/projects', { organizationId: owner, name, settings });
    const path = `/projects/${id}/api-keys`;
    const secret = await send('POST', path, { name: 'Backend', access: 'organization', scopes });
    const publishable = await send('POST', path, { name: 'Web', type: 'publishable' });
    return {
      ...{ organizationId: owner, projectId: id as string },
      ...{ secretKey: secret.key as string, publishableKey: publishable.key as string },
    };
  };
  const settings = { accessTokenTtl: 900, branding: { displayName: 'Shop', color: '#0b6e5f' } };
  const second = await create(organizationId, 'Shop', settings);
  const { id } = await send('POST', '/organizations', { name: 'Lumen Health', slug: 'lumen-health' });
  const third = await create(id as string, 'Patient portal');
  const archived = await create(organizationId, 'Trial');
  await send('POST', `/projects/${archived.projectId}/archive`);

  const keys = `/projects/${projectId}/api-keys`;
  const expiresAt = new Date(Date.now() + 3 * 86_400_000).toISOString();
  await send('POST', keys, { name: 'Expires soon', expiresAt });
  const rotated = await send('POST', keys, { name: 'Rotated' });
  await send('POST', `${keys}/${rotated.id}/rotate`);
  const revoked = await send('POST', keys, { name: 'Revoked' });
  await send('DELETE', `${keys}/${revoked.id}`);
  return [{ organizationId, projectId, secretKey, publishableKey }, second, third];
}

/** Creates an operator with a second factor, an invitation that is not accepted, and a failed sign-in. */
async function createOperators(instance: TestInstance, admin: OperatorClient): Promise<void> {
  await inviteOperator(admin, 'viewer');
  await admin.request('POST', '/operators', { email: 'invited-operator@example.com', role: 'operator' });
  const body = { email: 'admin@example.com', password: 'not the password' };
  await instance.request('POST', '/operator/v1/session', { body, headers: { 'x-gatehouse-console': '1' } });
}

/** Writes both files after it has verified that the dump restores the database. */
async function writeFixture(
  databaseUrl: string,
  description: Omit<Manifest, 'dumpedAt' | 'migrations' | 'rowCounts'>,
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const dump = await dumpDatabase(client);
  const migrations = await client.query<Manifest['migrations'][number]>(
    'SELECT timestamp::text, name FROM migrations ORDER BY timestamp',
  );
  const rowCounts = await countRows(client);
  await client.end();

  const copy = 'gatehouse_restored_fixture';
  const { ownerUrl: copyUrl } = await createDatabase(copy, 'template0');
  await restore(copyUrl, dump);
  const restored = new pg.Client({ connectionString: copyUrl });
  await restored.connect();
  const isSame = formatDump(await dumpDatabase(restored)) === formatDump(dump);
  await restored.end();
  await dropDatabase(copy);
  if (!isSame) throw new Error('the restored database differs from the original');

  const manifest: Manifest = {
    ...description,
    dumpedAt: new Date().toISOString(),
    migrations: migrations.rows,
    rowCounts,
  };
  const { version } = description;
  writeFileSync(join(FOLDER, `${version}.sql.gz`), gzipSync(formatDump(dump), { level: 9 }));
  writeFileSync(join(FOLDER, `${version}.json`), `${JSON.stringify(manifest, null, 2)}\n`);
}
