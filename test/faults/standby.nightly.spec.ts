import pg from 'pg';
import { registerCustomer } from '../support/customers.js';
import { expectUnavailable, DedicatedDatabase, LEASE_TOLERANCES } from '../support/dedicated-database.js';
import { adminUrl } from '../support/databases.mjs';
import { eventually } from '../support/eventually.js';
import { recordMeasurements } from '../support/measurements.js';
import { mixedRequests } from '../support/mixed-requests.js';
import type { PostgresServer } from '../support/postgres-server.mjs';
import { insertOperator } from '../support/operator-client.js';
import { listReplicaRoutes, ReplicaReader } from '../support/replica-reader.js';
import { runInChains } from '../support/run-in-chains.js';
import { bearerHeader } from '../support/test-instance.js';
import { waitForFeed } from '../support/wait-for-feed.js';

describe('a PostgreSQL standby', () => {
  let dedicated: DedicatedDatabase;
  let standby: PostgresServer | undefined;
  beforeAll(async () => {
    dedicated = await DedicatedDatabase.start();
    standby = await dedicated.server.startStandby();
  });
  afterAll(async () => {
    await dedicated?.remove();
    await standby?.remove();
  });

  it('the read replica lags, then stops: only lists contain old data, and no request fails', async () => {
    const { instance, server, receiver, history } = dedicated;
    let reader: ReplicaReader | undefined;
    try {
      reader = await ReplicaReader.start(instance, server, standby!);
      const operator = await insertOperator(instance);
      await reader.pauseReplay();
      const since = new Date().toISOString();
      const { id, tokens } = await registerCustomer(instance);
      const endpoint = await instance.createEndpoint(receiver.url, ['customer.deleted']);
      await waitForFeed(instance);

      expect(await reader.listIds('/api/v1/customers')).not.toContain(id);
      expect((await reader.get(`/api/v1/customers/${id}`)).body.id).toBe(id);
      const me = { headers: bearerHeader(tokens.accessToken), baseUrl: reader.baseUrl };
      expect((await instance.request('GET', '/api/v1/me', me)).body.id).toBe(id);
      // The endpoint does not exist on the replica yet.
      expect((await reader.get(`/v1/webhooks/endpoints/${endpoint.id}/stats`)).status).toBe(200);

      const feed = `/v1/events?created_after=${since}`;
      const behind = (await reader.get(feed)).body;
      const { body: ahead } = await instance.requestWithSecretKey('GET', feed);
      expect([behind.data, ahead.data[0].data.customer.id]).toEqual([[], id]);
      const next = await reader.get(`${feed}&cursor=${ahead.next_cursor}`);
      expect(next.body).toEqual({ ...behind, next_cursor: ahead.next_cursor });

      const [event] = (await reader.get('/v1/events?limit=1')).body.data;
      for (const path of listReplicaRoutes()) {
        const url = path
          .replace(':eventId', event.id)
          .replace(':endpointId', endpoint.id)
          .replace(/search$/, 'search?q=ab');
        const { status } = url.startsWith('/operator/v1')
          ? await operator.request('GET', url.slice('/operator/v1'.length), undefined, {}, reader.baseUrl)
          : await reader.get(url);
        expect([path, status]).toEqual([path, 200]);
      }
      expect(reader.messages).toEqual(['reading from the replica']);

      await reader.resumeReplay();
      const follow = () => reader!.get(`${feed}&cursor=${behind.next_cursor}`);
      await eventually('the event', async () => (await follow()).body.data[0]?.data.customer.id === id);
      await standby!.stop();
      expect(await reader.listIds('/api/v1/customers')).toContain(id);
      await reader.api.runCommand('check-replica');
      expect(reader.messages.slice(1)).toEqual([
        'read from the replica failed, repeated on the primary',
        'replica unusable, reading from the primary',
      ]);
      await standby!.start();
      await reader.waitUntilUsed();
    } finally {
      await reader?.api.stop('SIGTERM');
    }
    await dedicated.expectHealthyConnections();
    await history.check();
  });

  it('a client alternates between primary and replica under load: every event appears once', async () => {
    const { instance, server, history } = dedicated;
    const reader = await ReplicaReader.start(instance, server, standby!);
    try {
      const created: string[] = [];
      const seen: string[] = [];
      let pages = 0;
      let path = `/v1/events?types=customer.created&created_after=${new Date().toISOString()}`;
      const readPage = async () => {
        const { body } = await (pages % 2 === 0
          ? instance.requestWithSecretKey('GET', path)
          : reader.get(path));
        pages += 1;
        seen.push(...body.data.map(({ data }: any) => data.customer.id as string));
        path = path.replace(/(&cursor=.*)?$/, `&cursor=${encodeURIComponent(body.next_cursor as string)}`);
      };
      let isLoaded = false;
      const load = runInChains(4, 100, async () => created.push((await registerCustomer(instance)).id));
      void load.finally(() => (isLoaded = true));
      while (!isLoaded) await readPage();
      await load;
      await eventually('the last event', async () => {
        await readPage();
        return seen.length >= created.length;
      });
      recordMeasurements({ events: created.length, pages });
      expect(seen.sort()).toEqual(created.sort());
      expect(reader.messages).toEqual(['reading from the replica']);
    } finally {
      await reader.api.stop('SIGTERM');
    }
    await history.check();
  });

  it('PostgreSQL is killed and its standby promoted: the same processes use the new primary', async () => {
    const { instance, history, server } = dedicated;
    const [primaryHost, standbyHost] = [server.url, standby!.url].map((url) => new URL(url).host);
    const listHosts = (name: string) => ({
      [name]: `${instance.env[name]!.replace(primaryHost!, `${standbyHost},${primaryHost}`)}?target_session_attrs=read-write`,
    });
    const programs = dedicated.programs;
    await Promise.all(programs.map((each) => each.stop('SIGTERM')));
    const env = { ...listHosts('DATABASE_URL'), ...listHosts('MIGRATE_DATABASE_URL') };
    instance.startApi(env);
    instance.startWorker({ DATABASE_URL: env['DATABASE_URL']! });
    await instance.waitUntilReady();
    const { pids } = dedicated;
    // With this setting, PostgreSQL acknowledges a commit only after the standby has stored it.
    await instance.sql(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
    await instance.sql('SELECT pg_reload_conf()');
    await eventually('synchronous replication', async () => {
      const rows = await instance.sql(`SELECT FROM pg_stat_replication WHERE sync_state = 'sync'`);
      return rows.length === 1;
    });
    const before = history.exchanges.length;
    const request = mixedRequests(instance, await registerCustomer(instance));
    const load = runInChains(4, 50, request);
    await eventually('requests', () => history.exchanges.length >= before + 30);
    await server.kill();
    await eventually('a rejected request', () =>
      history.exchanges.slice(before).some(({ response }) => response?.status === 503),
    );
    await standby!.query('SELECT pg_promote()');
    await load;
    await eventually('a registration', async () => (await instance.register()).status === 201);
    await runInChains(4, 5, request);
    const sent = history.exchanges.slice(before);
    const rejected = sent.filter(({ response }) => response?.status !== 200 && response?.status !== 201);
    rejected.forEach(({ response }) => response && expectUnavailable(response));
    recordMeasurements({ requests: sent.length, 'rejected with 503': rejected.length });
    process.env['TEST_POSTGRES_URL'] = standby!.url;
    const db = new pg.Pool({ connectionString: adminUrl(instance.env['DATABASE_URL']!), max: 4 });
    Object.assign(instance, { db });
    await history.check(LEASE_TOLERANCES);
    expect(dedicated.pids).toEqual(pids);

    // The former primary restarts without being fenced.
    await server.start();
    await eventually('both programs to report it', async () => {
      await instance.api.runCommand('check-clock-and-hosts');
      await instance.runJob('ClockAndHostChecker');
      return dedicated.programs.every(({ log }) =>
        log.some(({ message }) => message === 'more than one host in DATABASE_URL accepts writes'),
      );
    });
  });
});
