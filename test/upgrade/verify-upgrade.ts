import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { mapInGroups } from '../bench/requests.js';
import { adminUrl, createDatabase, dropDatabase } from '../support/databases.mjs';
import { freePort, ServerProcess } from '../support/server-process.mjs';
import { readFixture } from './fixture.js';
import type { Manifest, ProjectKeys } from './manifest.js';
import { restore } from './restore.js';

/** Customers who are signed in by the previous api before the upgrade, and stay signed in. */
const SIGNED_IN = 200;

/** The previous api's clients during the upgrade. Their requests lock the same tables in different orders. */
const CLIENTS = 8;

interface Tokens {
  accessToken: string;
  refreshToken: string;
}

interface Customer {
  id: string;
  email: string;
  publishableKey: string;
}

export interface VerifyOptions {
  version: string;
  /** The folder with the previous version's built checkout. */
  previous: string;
  /** Factor by which the number of customers is multiplied. */
  times: number;
  report: (line: string) => void;
}

/**
 * Upgrades a version's database while that version's api serves requests, and checks that no customer is signed out,
 * that sessions and passwords work at both API processes, and that every customer can sign in afterward.
 * @throws Error that names the first violation
 */
export async function verifyUpgrade({ version, previous, times, report }: VerifyOptions): Promise<void> {
  const entryPoint = join(previous, 'dist/programs/api.js');
  if (!existsSync(entryPoint)) throw new Error(`${entryPoint} does not exist: build this checkout first.`);
  const { dump, manifest } = readFixture(version);
  const name = `upgrade_${randomBytes(8).toString('hex')}`;
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-upgrade-'));
  const { url, ownerUrl } = await createDatabase(name, 'template0');
  const db = new pg.Pool({ connectionString: adminUrl(name), max: 2 });
  const apis: ServerProcess[] = [];
  const start = async (program: string, env: Record<string, string>): Promise<Api> => {
    const port = await freePort();
    const api = new ServerProcess(program, {
      ...{ PORT: String(port), PUBLIC_URL: 'http://gatehouse.test', DATA_DIR: dataDir, BCRYPT_COST: '4' },
      ...{ SEED: 'off', RATE_LIMITS: 'off', PERIODIC_JOBS: 'off' },
      ...{ GATEHOUSE_SECRET: manifest.rootSecret, ...env },
    });
    apis.push(api);
    await api.waitUntilReady();
    return new Api(`http://127.0.0.1:${port}`);
  };
  try {
    await restore(ownerUrl, dump, { times, report });
    // Earlier versions connect as the table owner.
    const old = await start(entryPoint, { DATABASE_URL: ownerUrl });
    const customers = await findCustomers(db, manifest);
    const guests = customers.slice(0, SIGNED_IN);
    const sessions = await mapInGroups(guests, (customer) => old.login(customer, manifest.password));
    const before = await readCredentials(db, guests);
    report(`${customers.length.toLocaleString('en')} customers can sign in, ${guests.length} are signed in`);

    const load = keepRequesting(old, guests, manifest.password);
    const current = await start(join(process.cwd(), 'dist/programs/api.js'), {
      ...{ DATABASE_URL: url, MIGRATE_DATABASE_URL: ownerUrl },
    });
    report(`upgraded, while the previous api served ${await load.stop()} requests`);
    const after = await readCredentials(db, guests);
    if (before !== after) throw new Error('the upgrade changed password hashes or sessions');

    const refreshed = await mapInGroups([...sessions.entries()], async ([index, tokens]) => {
      const [first, second] = index % 2 ? [old, current] : [current, old];
      await first.getCustomer(tokens);
      await second.getCustomer(tokens);
      const successor = await second.refresh(await first.refresh(tokens));
      await first.getCustomer(successor);
      await second.getCustomer(await first.login(guests[index]!, manifest.password));
      await first.getCustomer(await second.login(guests[index]!, manifest.password));
      return successor;
    });
    report('both API processes accept the sessions and the passwords that the other has used');
    if (!manifest.signIn) {
      await current.rejectSecondFactors(manifest.projects[0]);
      report('second factors cannot be turned on while the previous api is running');
    }

    await apis[0]!.stop();
    const refreshTokens = [...refreshed, ...manifest.refreshTokens.map((refreshToken) => ({ refreshToken }))];
    await mapInGroups(refreshTokens, (tokens) => current.refresh(tokens));
    report('every session continues after the previous api has stopped');
    let done = 0;
    await mapInGroups(customers, async (customer) => {
      await current.getCustomer(await current.login(customer, manifest.password));
      done += 1;
      if (done % 10_000 === 0) report(`${done.toLocaleString('en')} customers signed in`);
    });
    report(`all ${customers.length.toLocaleString('en')} customers signed in with their password`);
  } finally {
    await Promise.all(apis.map((api) => api.stop()));
    await db.end();
    await dropDatabase(name);
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** An API process whose responses are not checked, because earlier versions have different OpenAPI documents. */
class Api {
  constructor(private readonly url: string) {}

  async login({ email, publishableKey }: Customer, password: string): Promise<Tokens> {
    const headers = { 'x-publishable-key': publishableKey };
    const { tokens } = await this.send('POST', '/api/v1/auth/login', headers, { email, password });
    return tokens as Tokens;
  }

  async refresh({ refreshToken }: Pick<Tokens, 'refreshToken'>): Promise<Tokens> {
    const body = await this.send('POST', '/api/v1/auth/refresh', {}, { refreshToken });
    return (body['tokens'] ?? body) as Tokens;
  }

  async getCustomer({ accessToken }: Tokens): Promise<void> {
    await this.send('GET', '/api/v1/me', { authorization: `Bearer ${accessToken}` });
  }

  /** @throws Error unless the api rejects a request to turn on second factors */
  async rejectSecondFactors({ projectId, secretKey }: ProjectKeys): Promise<void> {
    const headers = { authorization: `Bearer ${secretKey}` };
    const body = { settings: { mfa: 'optional' } };
    const { code } = await this.send('PATCH', `/api/v1/projects/${projectId}`, headers, body, 409);
    if (code !== 'conflict') throw new Error(`second factors were rejected as ${code}`);
  }

  private async send(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: object,
    status = 200,
  ): Promise<Record<string, unknown>> {
    const response = await fetch(this.url + path, {
      method,
      headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    if (response.status !== status) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  }
}

/** Returns the customers who can sign in with the fixture's password, in random order. */
async function findCustomers(db: pg.Pool, { projects, customers }: Manifest): Promise<Customer[]> {
  const keys = new Map(projects.map(({ projectId, publishableKey }) => [projectId, publishableKey]));
  const { rows } = await db.query<{ id: string; email: string; projectId: string }>(
    `SELECT id, email, project_id AS "projectId" FROM customers
     WHERE project_id = ANY ($1) AND password_hash IS NOT NULL AND disabled_at IS NULL AND email <> ALL ($2)
     ORDER BY md5(id::text)`,
    [[...keys.keys()], [customers.locked]],
  );
  return rows.map(({ id, email, projectId }) => ({ id, email, publishableKey: keys.get(projectId)! }));
}

/** Returns a digest of all password hashes and sessions, except for customers who are in use. */
async function readCredentials(db: pg.Pool, except: Customer[]): Promise<string> {
  const { rows } = await db.query(
    `SELECT (SELECT md5(string_agg(id || coalesce(password_hash, ''), ',' ORDER BY id)) FROM customers
             WHERE id <> ALL ($1)) AS customers,
       (SELECT md5(string_agg(id || current_hash::text || idle_expires_at::text || (revoked_at IS NULL), ',' ORDER BY id)) FROM sessions
        WHERE customer_id <> ALL ($1)) AS sessions`,
    [except.map(({ id }) => id)],
  );
  return JSON.stringify(rows[0]);
}

/** Signs customers in and reads them, with several clients at once, until it is stopped. */
function keepRequesting(api: Api, customers: Customer[], password: string): { stop(): Promise<number> } {
  let isStopped = false;
  let requests = 0;
  const runClient = async (): Promise<void> => {
    while (!isStopped) {
      const customer = customers[requests % customers.length]!;
      requests += 3;
      await api.getCustomer(await api.refresh(await api.login(customer, password)));
    }
  };
  const run = Promise.all(Array.from({ length: CLIENTS }, runClient));
  // The error is thrown by stop().
  run.catch(() => undefined);
  return {
    stop: async () => {
      isStopped = true;
      await run;
      return requests;
    },
  };
}
