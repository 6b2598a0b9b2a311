import { randomUUID } from 'node:crypto';
import { refreshSession, registerCustomer } from '../support/customers.js';
import { adminUrl, createDatabase, dropDatabase, roleUrls } from '../support/databases.mjs';
import { eventually } from '../support/eventually.js';
import { History, ON_TIME } from '../support/history.js';
import { recordMeasurements } from '../support/measurements.js';
import { mixedRequests } from '../support/mixed-requests.js';
import { Receiver } from '../support/receiver.js';
import { RetryingProxy } from '../support/retrying-proxy.js';
import { entryPoints, freePort, type ServerProcess } from '../support/server-process.mjs';
import { SteadyLoad } from '../support/steady-load.js';
import { TestInstance } from '../support/test-instance.js';
import { readFixture } from '../upgrade/fixture.js';
import { buildPreviousVersion } from '../upgrade/previous-version.mjs';
import { restore } from '../upgrade/restore.js';

const { dump, manifest } = readFixture('0.1.0');
const folder = await buildPreviousVersion(manifest.commit, process.stderr).catch((error: Error) => {
  process.stderr.write(`The upgrade of 0.1.0 under load is not tested: ${error.message}\n`);
  return null;
});

/** Settings of both versions. */
const ENV = {
  GATEHOUSE_SECRET: manifest.rootSecret,
  SEED: 'off',
  RATE_LIMITS: 'off',
  WEBHOOK_RETRY_SCHEDULE: '0s,1s,1s,1s,1s',
};
const RATE = 20;

let database: string;
let receiver: Receiver;
let instance: TestInstance;
let proxy: RetryingProxy;
beforeAll(async () => {
  if (!folder) return;
  database = `upgrade_${randomUUID().replaceAll('-', '')}`;
  const { ownerUrl } = await createDatabase(database, 'template0');
  await restore(ownerUrl, dump);
  receiver = await Receiver.start();
  const programs = {
    api: `${folder}/dist/programs/api.js`,
    worker: `${folder}/dist/programs/webhook-worker.js`,
  };
  instance = await TestInstance.start({ template: database, env: ENV, workers: 2, programs });
  instance.credentials = { ...instance.credentials, ...manifest.projects[0] };
});
afterAll(async () => {
  await proxy?.stop();
  await instance?.stop();
  await receiver?.stop();
  if (database) await dropDatabase(database);
});

(folder ? it : it.skip)(
  'an installation of 0.1.0 is upgraded at 20 requests per second: no request fails',
  async () => {
    // The invariants cover every delivery, and the receivers of the deliveries in the dump no longer exist.
    await instance.sql(`TRUNCATE deliveries, attempts, redelivery_batches CASCADE`);
    await instance.sql(`UPDATE webhook_endpoints SET status = 'disabled' WHERE status = 'enabled'`);
    const history = new History(instance, receiver);
    const ports = [Number(instance.env['PORT']), await freePort()];
    const publicUrl = instance.baseUrl;
    const previous = { api: instance.api, workers: [...instance.workers] };
    proxy = await RetryingProxy.start(ports);
    instance.env['PUBLIC_URL'] = proxy.url;
    await instance.createEndpoint(receiver.url, ['customer.created', 'login.succeeded']);
    // Every tenth request fails, so that each version also retries deliveries that the other one has attempted.
    receiver.defaultResponder = (response) => {
      response.statusCode = receiver.requests.length % 10 === 0 ? 500 : 200;
      response.end();
    };
    const customer = await registerCustomer(instance);

    const load = new SteadyLoad(RATE, mixedRequests(instance, customer), 2 * RATE);
    const waitForRequests = (count: number) => {
      const from = history.exchanges.length;
      return eventually('requests', () => history.exchanges.length >= from + count);
    };
    await waitForRequests(5 * RATE);
    const before = history.exchanges.length;
    const owner = instance.env['DATABASE_URL']!;
    instance.programs = entryPoints;
    Object.assign(instance.env, { DATABASE_URL: roleUrls(adminUrl(owner)).url, MIGRATE_DATABASE_URL: owner });
    const api = instance.startApi({ PORT: String(ports[1]), PUBLIC_URL: publicUrl });
    await api.waitUntilReady();
    const during = history.exchanges.length - before;
    // Both versions serve requests for a while.
    await waitForRequests(5 * RATE);
    expect(await previous.api.stop('SIGTERM')).toBe(0);
    await waitForRequests(2 * RATE);
    for (const worker of previous.workers) {
      await instance.startWorker().waitUntilReady();
      expect(await worker.stop('SIGTERM')).toBe(0);
      await waitForRequests(2 * RATE);
    }
    const requests = await load.stop();

    const failed = history.exchanges.filter(({ response }) => !response || response.status >= 400);
    expect(failed.map(({ method, path, response, error }) => [method, path, response, error])).toEqual([]);
    expect(during).toBeGreaterThan(0);
    recordMeasurements({ requests, 'during the migration': during, failed: failed.length });
    const { deliveries } = await history.check({ ...ON_TIME, lateMs: 10_000 });
    expect(deliveries).toBeGreaterThan(3 * RATE);
    for (const token of manifest.refreshTokens)
      expect((await refreshSession(instance, token)).status).toBe(200);
    for (const email of [manifest.customers.native[0]!, ...Object.values(manifest.customers.imported)])
      expect((await instance.login(email, manifest.password)).status).toBe(200);
    expect(listFatalLines(instance.processes)).toEqual([]);
  },
);

const listFatalLines = (processes: ServerProcess[]) =>
  processes.flatMap(({ log }) => log.filter(({ level }) => level === 'fatal'));
