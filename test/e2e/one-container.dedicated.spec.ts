import { randomBytes, randomUUID } from 'node:crypto';
import { createDatabase, dropDatabase } from '../support/databases.mjs';
import { eventually } from '../support/eventually.js';
import { Receiver } from '../support/receiver.js';
import { entryPoints, freePort, ServerProcess } from '../support/server-process.mjs';
import { TestInstance } from '../support/test-instance.js';

const token = randomBytes(32).toString('hex');

describe('npm run serve', () => {
  let instance: TestInstance;
  beforeAll(async () => {
    const env = { METRICS_TOKEN: token, RATE_LIMITS: 'off' };
    instance = await TestInstance.start({ program: 'all', workers: 0, env });
  });
  afterAll(async () => instance?.stop());

  const listLines = (service: string, message: string) =>
    instance.api.log.filter((line) => line['service'] === service && line['message'] === message);
  const waitForLine = (service: string, message: string, count = 1) =>
    eventually(`${service}: ${message}`, () => listLines(service, message).length >= count);
  const listStatuses = (route: string) =>
    listLines('api', 'request')
      .filter((line) => line['route'] === route)
      .map(({ status }) => status);
  const getMetrics = (path: string, authorization: string | undefined, method = 'GET') =>
    fetch(instance.baseUrl + path, { method, ...(authorization && { headers: { authorization } }) });

  it('serves the API on PORT and delivers webhooks', async () => {
    const receiver = await Receiver.start();
    await instance.createEndpoint(receiver.url, ['customer.created']);
    expect((await instance.register()).status).toBe(201);
    await eventually('the webhook', () => receiver.requests.length === 1);
    await receiver.stop();
  });

  it('serves the metrics of both programs on the port of the API, only with METRICS_TOKEN', async () => {
    for (const [path, service] of [
      ['/metrics', 'api'],
      ['/metrics/webhook-worker', 'webhook-worker'],
    ] as const) {
      const response = await getMetrics(path, `Bearer ${token}`);
      expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
      expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
      expect(await response.text()).toContain(`gatehouse_build_info{service="${service}"`);
      for (const authorization of [
        undefined,
        `Bearer ${token}x`,
        `Basic ${token}`,
        `Bearer ${token.slice(1)}`,
      ]) {
        const rejected = await getMetrics(path, authorization);
        expect([rejected.status, rejected.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
        expect(await rejected.text()).toBe('');
      }
      expect((await getMetrics(path, `Bearer ${token}`, 'POST')).status).toBe(405);
      await eventually('the log lines of the rejected requests', () => listStatuses(path).length === 4);
      expect(listStatuses(path)).toEqual([401, 401, 401, 401]);
    }
  });

  it('serves the health of the dependencies on the port of the API, only with METRICS_TOKEN', async () => {
    const response = await getMetrics('/healthz', `Bearer ${token}`);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ status: 'ready', components: { postgresql: 'ok' } });
    const rejected = await getMetrics('/healthz', `Bearer ${token}x`);
    expect([rejected.status, await rejected.text()]).toEqual([401, '']);
  });

  it('restarts a program after a crash', async () => {
    const service = 'api';
    const [ready] = listLines(service, 'ready');
    process.kill(ready!['pid'] as number, 'SIGKILL');
    await waitForLine('launcher', `${service} exited unexpectedly (signal SIGKILL); restarting in 0.5 s`);
    await waitForLine(service, 'ready', 2);
    expect(listLines(service, 'ready')[1]!['pid']).not.toBe(ready!['pid']);
    expect(instance.api.isRunning).toBe(true);
  });

  it('stops the API, then the worker, and exits with code 0', async () => {
    expect(await instance.api.stop('SIGTERM')).toBe(0);
    const stops = instance.api.log.filter(({ message }) => message === 'stopping');
    expect(stops.map(({ service }) => service)).toEqual(['launcher', 'api', 'webhook-worker']);
  });
});

describe('a failing start of npm run serve', () => {
  /** Runs the command until it exits. By default, its programs wait for a database that does not exist. */
  const start = async (env: Record<string, string>) => {
    const port = await freePort();
    const all = new ServerProcess(entryPoints.all, {
      ...{ PORT: String(await freePort()), DATABASE_URL: `postgres://gatehouse@127.0.0.1:${port}/gatehouse` },
      ...{ GATEHOUSE_SECRET: randomBytes(32).toString('base64url'), ...env },
    });
    return { code: await all.waitForExit(), output: all.output };
  };

  it('exits with code 1 if the programs are not ready in time', async () => {
    const name = `test_${randomUUID().replaceAll('-', '')}`;
    const { ownerUrl } = await createDatabase(name, 'template1');
    // The programs wait for the migrations.
    const { code, output } = await start({ DATABASE_URL: ownerUrl, MIGRATE: 'off', START_TIMEOUT: '1s' });
    expect([code, output]).toEqual([1, expect.stringContaining('programs not ready within START_TIMEOUT')]);
    await dropDatabase(name);
  });

  it('exits with code 78 if a setting is invalid', async () => {
    const { code, output } = await start({ METRICS_TOKEN: 'too-short', START_TIMEOUT: 'soon' });
    expect(code).toBe(78);
    for (const problem of [
      'METRICS_TOKEN must be at least 32 characters long',
      'START_TIMEOUT must be a duration',
    ])
      expect(output).toContain(problem);
    expect(output).not.toContain('too-short');
  });
});
