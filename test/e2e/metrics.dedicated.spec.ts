import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { withSettings } from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import { registerWithPasskey, signInWithPasskey } from '../support/passkeys.js';
import { PASSWORD, TestInstance } from '../support/test-instance.js';
import { freePort, type ServerProcess } from '../support/server-process.mjs';
import { insertOperator } from '../support/operator-client.js';
import { Receiver, respondWithStatus } from '../support/receiver.js';
import { Scrape } from '../support/scrape.js';
import { uniqueEmail } from '../support/unique-email.js';

const route = '/api/v1/auth/login';
const requests = 'gatehouse_http_request_duration_seconds_count';

describe('the metrics endpoint of both programs', () => {
  let instance: TestInstance;
  let ports: { api: number; worker: number };
  const api = () => Scrape.load(ports.api);
  const worker = () => Scrape.load(ports.worker);

  /** The API's log lines and the status of a request while another server listened on the API's METRICS_PORT. */
  let blocked: { log: ServerProcess['log']; status: number };
  const findLines = (log: ServerProcess['log'], message: string) =>
    log.filter((line) => line['message'] === message);

  beforeAll(async () => {
    ports = { api: await freePort(), worker: await freePort() };
    const blocker = createServer().listen(ports.api, '127.0.0.1');
    await once(blocker, 'listening');
    const env = ({ url }: { url: string }) => ({
      // This URL leads to the primary, so it is not used for reads.
      DATABASE_READ_URL: url,
      METRICS_PORT: String(ports.api),
      PERIODIC_JOBS: 'off',
      RATE_LIMITS: 'off',
      TIME_SCALE: '10',
      WEBHOOK_TIMEOUT: '60s',
      WEBHOOK_RETRY_SCHEDULE: '0s,0s,0s,0s,0s',
    });
    instance = await TestInstance.start({ workers: 0, env });
    instance.startWorker({ METRICS_PORT: String(ports.worker) });
    await instance.waitUntilReady();
    blocked = { log: [...instance.api.log], status: (await instance.register()).status };
    blocker.close();
    await eventually('the metrics', () => findLines(instance.api.log, 'metrics server listening').length > 0);
  });
  afterAll(() => instance?.stop());

  it('CO-05: stays off while METRICS_PORT is in use, without affecting anything else', async () => {
    const message = 'metrics server failed to listen';
    expect(blocked.status).toBe(201);
    expect(findLines(blocked.log, message)).toEqual([
      expect.objectContaining({ level: 'error', port: ports.api, code: 'EADDRINUSE' }),
    ]);
    expect((await api()).value('gatehouse_build_info')).toBe(1);
    expect(findLines(instance.api.log, message)).toHaveLength(1);
  });

  it('CO-05: counts logins by result, and requests by route, method and status class', async () => {
    const before = await api();
    const { email } = (await instance.register()).body.customer as { email: string };
    await instance.login(email);
    await instance.login(email, 'not their password');
    await instance.login(uniqueEmail());
    const other = (
      await instance.requestWithSecretKey('POST', '/api/v1/customers', {
        email: uniqueEmail(),
        password: PASSWORD,
      })
    ).body;
    await instance.requestWithSecretKey('POST', `/api/v1/customers/${other.id}/disable`);
    await instance.login(other.email as string);
    const unknownEmail = uniqueEmail();
    for (let count = 0; count < 11; count += 1) await instance.login(unknownEmail);
    const after = await api();
    const increase = (name: string, labels: Record<string, string>) =>
      (after.value(name, labels) ?? 0) - (before.value(name, labels) ?? 0);
    const results = { success: 1, invalid: 12, disabled: 1, throttled: 1, error: 0 };
    for (const [result, count] of Object.entries(results)) {
      expect([result, increase('gatehouse_logins_total', { method: 'password', result })]).toEqual([
        result,
        count,
      ]);
    }
    expect(increase(requests, { route, method: 'POST', status: '2xx' })).toBe(1);
    expect(increase(requests, { route, method: 'POST', status: '4xx' })).toBe(14);
    // Two registrations and all logins. Throttled logins are verified too, so that their timing reveals nothing.
    expect(increase('gatehouse_password_hash_wait_seconds_count', {})).toBe(17);
    expect(after.value('gatehouse_password_hash_queue_length')).toBe(0);
  });

  it('CO-05: counts the steps of sign-ins by method', async () => {
    const settings = { signIn: { passkey: true, emailCode: true }, mfa: 'optional' };
    await withSettings(instance, settings, async () => {
      const { authenticator, email, recoveryCodes } = await registerWithPasskey(instance);
      const before = await api();
      const publish = (path: string, body: object) =>
        instance.requestWithPublishableKey('POST', `/api/v1/auth/${path}`, body);
      await signInWithPasskey(instance, authenticator);
      await signInWithPasskey(instance, authenticator, { userHandle: null });
      const { token: challengeToken } = (await instance.login(email)).body.challenge;
      await publish('challenge/totp', { challengeToken, code: '123456' });
      await publish('challenge/recovery-code', { challengeToken, code: recoveryCodes![0] });
      await publish('email-code/verify', { token: 'unknown', code: '123456' });
      await publish('exchange', {
        ...{ code: 'unknown', redirectUrl: 'https://app.example.com/' },
        codeVerifier: 'a'.repeat(43),
      });
      await publish('sign-in-token', { token: 'unknown' });
      const after = await api();
      const steps: [method: string, result: string][] = [
        ['passkey', 'success'],
        ['passkey', 'invalid'],
        ['password', 'challenged'],
        ['totp', 'invalid'],
        ['recovery_code', 'success'],
        ['email_code', 'invalid'],
        ['exchange', 'invalid'],
        ['sign_in_token', 'invalid'],
      ];
      const value = (scrape: Scrape, [method, result]: [string, string]) =>
        scrape.value('gatehouse_logins_total', { method, result })!;
      for (const step of steps)
        expect([...step, value(after, step) - value(before, step)]).toEqual([...step, 1]);
      const total = (scrape: Scrape) => scrape.value('gatehouse_logins_total')!;
      expect(total(after) - total(before)).toBe(steps.length);
    });
  });

  it('CO-05: counts attempts by result and number, and contains the dead letter', async () => {
    const receiver = await Receiver.start();
    receiver.respondWith(respondWithStatus(500), respondWithStatus(500)).defaultResponder =
      respondWithStatus(204);
    await instance.createEndpoint(receiver.url, ['customer.created']);
    const failingReceiver = await Receiver.start();
    failingReceiver.defaultResponder = respondWithStatus(500);
    await instance.createEndpoint(failingReceiver.url, ['customer.created']);
    const before = await worker();
    expect(before.value('gatehouse_webhook_attempts_total', { result: 'worker_lost', attempt: '5' })).toBe(0);
    expect(before.value('gatehouse_dead_letters')).toBe(0);
    await instance.register();
    const attempts = (scrape: Scrape, result: string, attempt: string) =>
      scrape.value('gatehouse_webhook_attempts_total', { result, attempt });
    const after = await eventually('the dead letter', async () => {
      const scrape = await worker();
      // A scrape's counters may be slightly older than its values from the database.
      const isCounted = scrape.value('gatehouse_webhook_attempt_duration_seconds_count') === 8;
      const isFinished = scrape.value('gatehouse_deliveries_pending') === 0;
      return isCounted && isFinished && scrape.value('gatehouse_dead_letters') === 1 && scrape;
    });
    expect(attempts(after, 'http_error', '1')).toBe(2);
    expect(attempts(after, 'http_error', '2')).toBe(2);
    expect(attempts(after, 'success', '3')).toBe(1);
    expect(attempts(after, 'http_error', '5')).toBe(1);
    expect(after.value('gatehouse_webhook_first_attempt_delay_seconds_count')).toBe(2);
    expect(after.value('gatehouse_deliveries_oldest_due_seconds')).toBe(0);
    // Instance-wide values are the same for every process.
    await eventually(
      'the dead letter in the API metrics',
      async () => (await api()).value('gatehouse_dead_letters') === 1,
    );
    await Promise.all([receiver.stop(), failingReceiver.stop()]);
  });

  it('CO-05: counts repairs by the sweeper, and contains due deliveries and disabled endpoints', async () => {
    const { id } = await instance.createEndpoint('http://127.0.0.1:9/', ['customer.updated']);
    const before = (await worker()).value('gatehouse_sweeper_repairs_total', { kind: 'orphan_cancelled' });
    expect(before).toBe(0);
    // A pending delivery to a disabled endpoint results from a race between an event and the request to disable.
    await instance.sql(
      `UPDATE webhook_endpoints SET status = 'disabled', disabled_reason = 'failing', disabled_at = now() WHERE id = $1`,
      [id.replace('ep_', '')],
    );
    await instance.sql(
      `INSERT INTO deliveries (id, organization_id, project_id, event_id, event_type, endpoint_id, target_url, next_attempt_at)
       SELECT gen_random_uuid(), organization_id, project_id, id, type, $1, 'http://127.0.0.1:9/', now() - interval '1 minute'
       FROM events ORDER BY id LIMIT 1`,
      [id.replace('ep_', '')],
    );
    await instance.runJob('Sweeper');
    await eventually('the orphan to be counted', async () => {
      const scrape = await worker();
      return scrape.value('gatehouse_sweeper_repairs_total', { kind: 'orphan_cancelled' }) === 1;
    });
    await eventually(
      'the endpoint in the metrics',
      async () => (await worker()).value('gatehouse_webhook_endpoints_disabled') === 1,
    );
  });

  it('CO-05: counts emails by result, and contains the waiting ones', async () => {
    const { email } = (await instance.register()).body.customer as { email: string };
    const waiting = await eventually('the emails that wait', async () => {
      const scrape = await worker();
      return scrape.value('gatehouse_mails_pending')! > 0 && scrape;
    });
    expect(waiting.value('gatehouse_mails_oldest_due_seconds')).toBeGreaterThan(0);
    expect(waiting.value('gatehouse_mails_total')).toBe(0);
    // An email that is older than its link's lifetime is not sent.
    await instance.sql(`UPDATE mails SET created_at = now() - interval '2 days' WHERE recipient = $1`, [
      email,
    ]);
    await instance.runJob('MailSender');
    const after = await worker();
    expect(after.value('gatehouse_mails_total', { result: 'captured' })).toBeGreaterThan(0);
    expect(after.value('gatehouse_mails_total', { result: 'expired' })).toBe(1);
  });

  it('CO-05: contains the version, the process, its event loop, the database and its pool', async () => {
    for (const [service, read] of Object.entries({ api, 'webhook-worker': worker })) {
      // The maximum covers the time since the previous scrape, which can be too short for a measurement.
      const scrape = await eventually('a measured delay of the event loop', async () => {
        const current = await read();
        return current.value('nodejs_eventloop_lag_max_seconds')! > 0 && current;
      });
      expect(scrape.value('gatehouse_build_info', { service })).toBe(1);
      expect(scrape.value('process_resident_memory_bytes')).toBeGreaterThan(0);
      expect(scrape.value('gatehouse_database_up')).toBe(1);
      expect(scrape.value('gatehouse_database_pool_waiting')).toBe(0);
      expect(scrape.value('gatehouse_database_statement_duration_seconds_count')).toBeGreaterThan(0);
      expect(scrape.value('gatehouse_ready')).toBe(1);
      // This instance has no Redis.
      expect(scrape.value('gatehouse_redis_up')).toBeNull();
    }
    // A periodic job's query may be using the only connection during a scrape.
    for (const scrape of [api, worker])
      await eventually(
        'an idle connection',
        async () => ((await scrape()).value('gatehouse_database_connections_idle') ?? 0) > 0,
      );
  });

  it("contains the PostgreSQL clock's offset, and no writable hosts for a URL with one host", async () => {
    await instance.api.runCommand('check-clock-and-hosts');
    await instance.runJob('ClockAndHostChecker');
    for (const scrape of [await api(), await worker()]) {
      const skew = scrape.value('gatehouse_clock_skew_seconds');
      expect(skew).toBeGreaterThan(-2);
      expect(skew).toBeLessThan(2);
      expect(scrape.value('gatehouse_database_writable_hosts')).toBeNull();
    }
  });

  it('CO-05: contains no id, address or URL in a label, regardless of the requests', async () => {
    const { customer, tokens } = (await instance.register()).body;
    const series = (scrape: Scrape) =>
      scrape.samples.filter(({ name }) => name.startsWith('gatehouse_')).length;
    const before = series(await api());
    const sendRequests = async (id: string) => {
      await instance.requestWithSecretKey('GET', `/api/v1/customers/${id}`);
      await instance.requestWithSecretKey(
        'GET',
        `/api/v1/customers?email=${encodeURIComponent(customer.email as string)}`,
      );
      await instance.requestWithSecretKey('GET', `/v1/webhooks/deliveries?cursor=${id}`);
      for (const path of [`/${id}`, `/api/v1/${id}?x=${id}`, `/verify-email?token=${id}`])
        await fetch(instance.baseUrl + path);
      await fetch(instance.baseUrl + '/livez', { method: 'PROPFIND' });
      await instance.requestWithAccessToken(tokens.accessToken, 'GET', '/api/v1/me');
    };
    await sendRequests(customer.id as string);
    await sendRequests(crypto.randomUUID());
    const expectedCount = series(await api());
    for (let round = 0; round < 3; round += 1) await sendRequests(crypto.randomUUID());
    const scrapes = [await api(), await worker()];
    expect(expectedCount).toBeGreaterThan(before);
    expect(series(scrapes[0]!)).toBe(expectedCount);

    const values = new Map<string, Set<string>>();
    for (const { labels } of scrapes.flatMap(({ samples }) => samples)) {
      for (const [name, value] of Object.entries(labels))
        values.set(name, (values.get(name) ?? new Set()).add(value));
    }
    const document = (await instance.request('GET', '/openapi.json')).body as { paths: object };
    const routes = new Set(Object.keys(document.paths).map((path) => path.replace(/\{(\w+)\}/g, ':$1')));
    const isKnown = (name: string) =>
      routes.has(name) || /^\/(openapi\.json|docs(\/.*)?|verify-email)$/.test(name);
    expect([...values.get('route')!].filter((name) => name !== 'none' && !isKnown(name))).toEqual([]);
    expect(values.get('route')).toContain('/api/v1/customers/:customerId');
    expect(values.get('route')).toContain('none');
    expect(values.get('method')).toContain('other');
    const all = [...values.values()].flatMap((set) => [...set]).join('\n');
    expect(all).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}|:\/\/|@|127\.0\.0\.1|(sk|pk|evt|dlv|att|ep)_/);
    const ownLabels = 'attempt kind le limit method purpose result route service space status type'.split(
      ' ',
    );
    const nodeLabels = ['kind', 'major', 'minor', 'patch', 'version'];
    expect([...values.keys()].filter((name) => ![...ownLabels, ...nodeLabels].includes(name))).toEqual([]);
  });

  it('reports, only in the API, that DATABASE_READ_URL is unused because it is not a standby', async () => {
    await instance.api.runCommand('check-replica');
    const isUsed = async (scrape: Promise<Scrape>) => (await scrape).value('gatehouse_database_replica_up');
    expect([await isUsed(api()), await isUsed(worker())]).toEqual([0, null]);
    expect((await instance.requestWithSecretKey('GET', '/api/v1/customers')).status).toBe(200);
  });

  it('CO-05: covers every metric in the dashboard, the alert rules and the documentation', async () => {
    const scrapes = [await api(), await worker()];
    const names = new Set(scrapes.flatMap((scrape) => [...scrape.names]));
    const metricName = /\b(?:gatehouse|nodejs|process)_[a-z0-9_]*[a-z0-9]\b/g;
    const findMetricNames = async (file: string) => [
      ...new Set((await readFile(`ops/${file}`, 'utf8')).match(metricName)),
    ];
    for (const file of ['grafana/gatehouse.json', 'prometheus/alerts.yml']) {
      const named = await findMetricNames(file);
      expect(named.length).toBeGreaterThan(10);
      expect({ file, unknown: named.filter((name) => !names.has(name)) }).toEqual({ file, unknown: [] });
    }
    const described = new Set(await findMetricNames('README.md'));
    const undescribed = [...names].filter((name) => {
      const family = name.replace(/_(bucket|sum|count)$/, '');
      return name.startsWith('gatehouse_') && !described.has(name) && !described.has(family);
    });
    expect(undescribed).toEqual([]);
  });

  it('CO-05: contains every label value that the dashboard and the alert rules use', async () => {
    // Causes a response in each status class, and calls the routes that a rule excludes.
    await instance.register();
    const operator = await insertOperator(instance);
    await operator.request('GET', '/audit-log.csv');
    const { projectId } = instance.credentials;
    await instance.requestWithSecretKey('GET', `/api/v1/projects/${projectId}/export`);
    await instance.requestWithSecretKey('POST', '/api/v1/customers/import', { customers: [] });
    const values = new Map<string, Set<string>>([['status', new Set(['5xx'])]]);
    for (const { samples } of [await api(), await worker()])
      for (const { labels } of samples)
        for (const [name, value] of Object.entries(labels))
          values.set(name, (values.get(name) ?? new Set()).add(value));
    for (const file of ['ops/grafana/gatehouse.json', 'ops/prometheus/alerts.yml']) {
      const text = (await readFile(file, 'utf8')).replaceAll('\\"', '"');
      for (const [matcher, label, operation, value] of text.matchAll(/\b(\w+)(=~|!~|!=|=)"([^"$]+)"/g)) {
        const patterns = operation!.endsWith('~') ? value!.split('|') : [value!];
        const known = [...(values.get(label!) ?? [])];
        const unknown = patterns.filter(
          (pattern) => !known.some((each) => new RegExp(`^${pattern}$`).test(each)),
        );
        expect({ matcher, unknown }).toEqual({ matcher, unknown: [] });
      }
    }
  });

  it('CO-05: also serves the health of the dependencies, and names each problem', async () => {
    await instance.api.runCommand('check-replica');
    const read = async (port: number) => {
      const response = await fetch(`http://127.0.0.1:${port}/healthz`);
      return { status: response.status, body: await response.json() };
    };
    const components = { postgresql: 'ok', redis: 'not_configured', mail: 'not_configured' };
    expect(await read(ports.worker)).toEqual({ status: 200, body: { status: 'ready', components } });
    expect(await read(ports.api)).toEqual({
      status: 503,
      body: {
        status: 'degraded',
        components: { ...components, replica: 'not_used', webhookWorker: 'ok' },
      },
    });
    expect((await instance.request('GET', '/readyz')).body).toEqual({ status: 'ready' });
  });

  it('CO-05: responds only to GET and HEAD of /metrics, and not on the port of the API', async () => {
    const base = `http://127.0.0.1:${ports.api}`;
    const response = await fetch(`${base}/metrics`);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect((await fetch(`${base}/metrics`, { method: 'HEAD' })).status).toBe(200);
    for (const [method, path] of [
      ['POST', '/metrics'],
      ['GET', '/'],
      ['GET', '/readyz'],
      ['GET', '/api/v1/me'],
    ]) {
      expect((await fetch(base + path, { method: method! })).status).toBe(404);
    }
    for (const path of ['/metrics', '/healthz'])
      expect((await fetch(instance.baseUrl + path)).status).toBe(404);
  });
});
