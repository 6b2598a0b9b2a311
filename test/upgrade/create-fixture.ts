import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import pg from 'pg';
import { createDatabase, dropDatabase } from '../support/databases.mjs';
import { OpenIdProvider } from '../support/identity-providers/open-id-provider.js';
import { StandInProvider } from '../support/identity-providers/stand-in-provider.js';
import { LegacySystem } from '../support/legacy-system.js';
import { NameServer } from '../support/name-server.js';
import { signIn } from '../support/operator-client.js';
import { Receiver, respondWithStatus } from '../support/receiver.js';
import { freePort } from '../support/server-process.mjs';
import { startReplica } from '../support/start-replica.js';
import { StripeStub } from '../support/stripe-stub.js';
import { PASSWORD, TestInstance } from '../support/test-instance.js';
import { countRows, dumpDatabase, formatDump } from './database-dump.js';
import { CustomerFiller } from './fill-customers.js';
import { IdentityFiller } from './fill-identities.js';
import { ImportFiller } from './fill-imports.js';
import { OperatorFiller } from './fill-operators.js';
import { ProjectFiller, TEMPLATE } from './fill-projects.js';
import { SignInFiller } from './fill-sign-in.js';
import { WebhookFiller } from './fill-webhooks.js';
import { FOLDER } from './fixture.js';
import type { Manifest } from './manifest.js';
import { inProject } from './requests.js';
import { restore } from './restore.js';

type Description = Omit<Manifest, 'dumpedAt' | 'migrations' | 'rowCounts'>;

/** The servers that the instance calls, all on loopback. */
interface Servers {
  good: Receiver;
  bad: Receiver;
  alerts: Receiver;
  stripe: StripeStub;
  legacy: LegacySystem;
  nameServer: NameServer;
  /** The customers' identity provider. */
  customers: StandInProvider;
  /** The operators' identity provider. */
  operators: OpenIdProvider;
}

/**
 * Runs the built api and worker, fills their database through the API, and writes a version's dump with its manifest.
 * Only the programs insert rows.
 */
export async function createFixture(
  version: string,
  commit: string,
  report: (line: string) => void,
): Promise<void> {
  const servers = await startServers();
  try {
    const instance = await startInstance(servers);
    try {
      const description = { version, commit, ...(await fill(instance, servers, report)) };
      const rowCounts = await writeFixture(instance.env['MIGRATE_DATABASE_URL']!, description);
      for (const [table, count] of Object.entries(rowCounts))
        if (count === 0) report(`the table ${table} is empty`);
      report(`test/upgrade/${version}.sql.gz and ${version}.json written`);
    } finally {
      await instance.stop();
    }
  } finally {
    await Promise.all(Object.values(servers).map((server) => server.stop()));
  }
}

async function startServers(): Promise<Servers> {
  const [good, bad, alerts] = await Promise.all([Receiver.start(), Receiver.start(), Receiver.start()]);
  alerts.defaultResponder = respondWithStatus(204);
  return {
    ...{ good, bad, alerts },
    stripe: await new StripeStub().start(),
    legacy: await LegacySystem.start(),
    nameServer: await NameServer.start(),
    customers: await StandInProvider.start(),
    operators: await OpenIdProvider.start(),
  };
}

/** Starts an API process at a host name, because passkeys are not possible for an IP address. */
async function startInstance(servers: Servers): Promise<TestInstance> {
  const port = String(await freePort());
  const publicUrl = `http://localhost:${port}`;
  const { stripe, operators } = servers;
  const redirectUri = `${publicUrl}/operator/v1/oidc/callback`;
  const { clientId, clientSecret } = operators.addClient({ redirectUri });
  const env = {
    PORT: port,
    PUBLIC_URL: publicUrl,
    RATE_LIMITS: 'off',
    WEBHOOK_RETRY_SCHEDULE: '0s,0s,0s,0s,0s',
    WEBHOOK_DNS_SERVERS: servers.nameServer.address,
    ALERT_WEBHOOK_URL: servers.alerts.url,
    OPERATOR_EMAIL: 'admin@example.com',
    OPERATOR_PASSWORD: PASSWORD,
    OPERATOR_OIDC_ISSUER: operators.issuer,
    OPERATOR_OIDC_CLIENT_ID: clientId,
    OPERATOR_OIDC_CLIENT_SECRET: clientSecret,
    OPERATOR_OIDC_ROLES: 'admin=gatehouse-admins',
    STRIPE_SECRET_KEY: stripe.key,
    STRIPE_API_BASE: stripe.url,
  };
  return TestInstance.start({ env, workers: 0 });
}

/** Fills the database, and stops the api. */
async function fill(
  instance: TestInstance,
  servers: Servers,
  report: (line: string) => void,
): Promise<Omit<Description, 'version' | 'commit'>> {
  const operator = await signIn(instance);
  const projectFiller = new ProjectFiller(instance, operator);
  const projects = await projectFiller.createProjects();
  const customers = new CustomerFiller(instance, projects);
  const webhooks = new WebhookFiller(instance, projects, operator, servers.good, servers.bad);
  await webhooks.createEndpoints();
  instance.startWorker();
  await instance.waitUntilReady();
  report('installation started');
  const { native, locked, refreshTokens } = await customers.createActiveCustomers();
  await customers.manageCustomers();
  report('active customers created');
  const { organizationId } = projects[2];
  const project = await projectFiller.createMembers(organizationId, servers.legacy);
  const members = inProject(instance, project);
  const signInPart = {
    ...{ project, template: TEMPLATE, legacySecret: servers.legacy.secret },
    ...(await new SignInFiller(members).fill()),
    ...(await new IdentityFiller(members, servers.customers, servers.nameServer).fill()),
    operator: await new OperatorFiller(instance, operator, servers.operators).fill(organizationId),
  };
  report('customers and operators signed in with every method');
  await webhooks.resolveDeadLetters();
  report('deliveries of active customers finished');
  const deliveries = await webhooks.leavePending();
  await customers.deleteCustomers();
  report('pending deliveries created');
  const imported = await new ImportFiller(instance, projects).importCustomers();
  report('customers imported');
  // Leaves a heartbeat, which an API process removes only if it shuts down properly.
  await (await startReplica(instance)).process.stop('SIGKILL');
  await instance.api.stop();
  return {
    ...{ rootSecret: instance.env['GATEHOUSE_SECRET']!, password: PASSWORD, projects },
    operator: {
      ...{ email: operator.operator.email, password: PASSWORD },
      ...{ totpSecret: operator.secret, recoveryCodes: operator.recoveryCodes },
    },
    customers: { native, locked, ...imported },
    refreshTokens,
    ...deliveries,
    signIn: signInPart,
  };
}

/**
 * Writes both files after it has verified that the dump restores the database.
 * @returns the row counts
 */
async function writeFixture(databaseUrl: string, description: Description): Promise<Manifest['rowCounts']> {
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
  const difference = findDifference(formatDump(dump), formatDump(await dumpDatabase(restored)));
  await restored.end();
  await dropDatabase(copy);
  if (difference !== null) throw new Error(`the restored database differs from the original:\n${difference}`);

  const manifest: Manifest = {
    ...description,
    dumpedAt: new Date().toISOString(),
    migrations: migrations.rows,
    rowCounts,
  };
  const { version } = description;
  writeFileSync(join(FOLDER, `${version}.sql.gz`), gzipSync(formatDump(dump), { level: 9 }));
  writeFileSync(join(FOLDER, `${version}.json`), `${JSON.stringify(manifest, null, 2)}\n`);
  return rowCounts;
}

/** Returns the first line that differs between the texts, or null if they are equal. */
function findDifference(original: string, restored: string): string | null {
  const [lines, others] = [original.split('\n'), restored.split('\n')];
  const index = lines.findIndex((line, number) => line !== others[number]);
  return index < 0 && lines.length === others.length ? null : `${lines.at(index)}\n${others.at(index)}`;
}
