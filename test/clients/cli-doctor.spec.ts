import { once } from 'node:events';
import { createServer, request as sendRequest, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createAuthority, selfSigned } from '../support/certificates.js';
import { parseLines, runCli } from '../support/cli.js';
import { registerCustomer } from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import { seedDeliveries } from '../support/seed-deliveries.js';
import { entryPoints, freePort, ServerProcess } from '../support/server-process.mjs';
import { insertKey } from '../support/tenants.js';
import { TestInstance } from '../support/test-instance.js';

interface Finding {
  check: string;
  status: string;
  message: string;
  fix: string | null;
}

let instance: TestInstance;
const servers: Server[] = [];
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => {
  for (const server of servers) server.close().closeAllConnections();
  await instance?.stop();
});

/** Runs `gatehouse doctor`. @returns its exit code and the problems that it found */
async function diagnose(env: Record<string, string> = {}, args: string[] = []) {
  const { code, stdout, stderr } = await runCli(instance, ['doctor', '--json', ...args], { env });
  expect(stderr).toBe('');
  const findings = parseLines(stdout) as Finding[];
  const problems = findings.filter(({ status }) => status === 'error' || status === 'warning');
  return { code, findings, problems };
}

/** Starts a server on this machine. @returns its host and port */
async function listen(server: Server): Promise<string> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const listenHttp = async (listener: RequestListener): Promise<string> =>
  `http://${await listen(createServer(listener))}`;

/** Forwards requests to the instance, and shifts the Date response header by `difference` ms. */
const shiftClock =
  (difference: number): RequestListener =>
  (request, response) => {
    const forwarded = sendRequest(
      instance.baseUrl + request.url!,
      { method: request.method!, headers: request.headers },
      (original) => {
        const date = new Date(Date.parse(original.headers.date!) + difference).toUTCString();
        response.writeHead(original.statusCode!, { ...original.headers, date });
        original.pipe(response);
      },
    );
    request.pipe(forwarded);
  };

it('gatehouse doctor finds no problem in a working installation, and suggests more checks', async () => {
  const { code, findings, problems } = await diagnose();
  expect(problems).toEqual([]);
  expect(code).toBe(0);
  expect(findings.map(({ check }) => check)).toEqual([
    ...['url', 'tls', 'clock', 'readiness', 'issuer', 'key', 'origins', 'webhooks', 'emails', 'server'],
  ]);
  expect(findings.at(-1)).toEqual({
    check: 'server',
    status: 'skipped',
    message: expect.stringContaining('gatehouse-admin doctor'),
    fix: null,
  });
});

describe('gatehouse doctor at an unusable URL', () => {
  const DAY = 86_400_000;
  const createTls = (certificate: { cert: string; key: string }): Server =>
    createTlsServer(certificate, (_request, response) => response.end('{"status":"ok"}'));

  it('reports the cause and the fix', async () => {
    const closed = `127.0.0.1:${await freePort()}`;
    const period = { from: new Date(Date.now() - 9 * DAY), until: new Date(Date.now() - DAY) };
    const expired = await listen(createTls(createAuthority().issue(['127.0.0.1'], period)));
    const untrusted = await listen(createTls(selfSigned(['127.0.0.1'])));
    const other = await listenHttp((_request, response) => response.writeHead(404).end('Not found'));
    const redirect = await listenHttp((_request, response) =>
      response.writeHead(301, { location: 'https://auth.example.com/livez' }).end(),
    );
    const proxy = await listenHttp((_request, response) => response.writeHead(502).end());
    const host = new URL(instance.baseUrl).host;
    const cases: [url: string, check: string, message: string, fix: string][] = [
      [
        `http://${closed}`,
        'url',
        `No server accepts connections at ${closed}`,
        'Start Gatehouse, or correct',
      ],
      [other, 'url', 'with 404, but it is not Gatehouse', 'Set GATEHOUSE_URL to the PUBLIC_URL'],
      [redirect, 'url', 'redirects to https://auth.example.com', 'Use the URL to which it redirects'],
      [proxy, 'url', 'responds with 502: it cannot reach Gatehouse', 'Start the API process'],
      [`https://${expired}`, 'tls', 'The certificate for 127.0.0.1 expired on ', 'Renew the certificate.'],
      [
        `https://${untrusted}`,
        'tls',
        'The issuer of the certificate for 127.0.0.1 is not trusted',
        'NODE_EXTRA_CA_CERTS',
      ],
      [`https://${host}`, 'tls', `The server at ${host} does not use TLS`, 'Use http:// in GATEHOUSE_URL'],
    ];
    const wrong = await Promise.all(
      cases.map(async ([url, check, message, fix]) => {
        const { code, problems } = await diagnose({ GATEHOUSE_URL: url });
        const isFound = problems.some(
          (each) => each.check === check && each.message.includes(message) && each.fix!.includes(fix),
        );
        return isFound && code === 1 ? [] : [[url, code, problems]];
      }),
    );
    expect(wrong.flat()).toEqual([]);
  });

  it('reports an API without a database, and one without Redis or a worker', async () => {
    const port = String(await freePort());
    const closed = `127.0.0.1:${await freePort()}`;
    const url = `http://127.0.0.1:${port}`;
    const api = new ServerProcess(entryPoints.api, {
      ...instance.env,
      PORT: port,
      PUBLIC_URL: url,
      DATABASE_URL: `postgres://gatehouse@${closed}/gatehouse`,
      MIGRATE_DATABASE_URL: '',
    });
    try {
      await eventually('the API to listen', () => fetch(`${url}/livez`).catch(() => null));
      expect(await diagnose({ GATEHOUSE_URL: url })).toMatchObject({
        code: 1,
        problems: [
          {
            check: 'readiness',
            status: 'error',
            message: expect.stringContaining('cannot reach PostgreSQL'),
            fix: expect.stringContaining('gatehouse-admin doctor'),
          },
        ],
      });
    } finally {
      await api.stop('SIGKILL');
    }
    const degraded = await listenHttp((request, response) => {
      if (request.url !== '/readyz') return shiftClock(0)(request, response);
      response.end('{"status":"degraded"}');
    });
    expect((await diagnose({ GATEHOUSE_URL: degraded })).problems).toContainEqual(
      expect.objectContaining({ check: 'readiness', message: expect.stringContaining('no webhook-worker') }),
    );
  });
});

describe('gatehouse doctor at a server that responds', () => {
  it('compares the clocks, and reports the tolerance', async () => {
    const clockOf = async (difference: number) => {
      const { problems } = await diagnose({ GATEHOUSE_URL: await listenHttp(shiftClock(difference)) });
      return problems.filter(({ check }) => check === 'clock');
    };
    const found = [...(await clockOf(-600_000)), ...(await clockOf(60_000))];
    expect(found).toEqual([
      {
        check: 'clock',
        status: 'error',
        message: expect.stringMatching(/is \d+ s ahead of .+: webhooks are rejected \(tolerance 300 s\)/),
        fix: 'Synchronize both clocks with NTP.',
      },
      expect.objectContaining({
        status: 'warning',
        message: expect.stringMatching(/is \d+ s behind .+tolerance 5 s/),
      }),
    ]);
  });

  it('reports a PUBLIC_URL that differs from GATEHOUSE_URL', async () => {
    const url = instance.baseUrl.replace('127.0.0.1', 'localhost');
    expect(await diagnose({ GATEHOUSE_URL: url })).toMatchObject({
      code: 0,
      problems: [{ check: 'issuer', status: 'warning', message: expect.stringContaining(instance.baseUrl) }],
    });
  });

  it('reports missing, publishable, revoked, expiring and scopeless keys', async () => {
    const { projectSecretKey, publishableKey } = instance.credentials;
    const revoked = await insertKey(instance, { ...instance.credentials, type: 'secret' });
    const expiring = await insertKey(instance, { ...instance.credentials, type: 'secret' });
    await instance.sql(`UPDATE api_keys SET revoked_at = now() WHERE last4 = $1`, [revoked.slice(-4)]);
    await instance.sql(`UPDATE api_keys SET expires_at = now() + interval '3 days' WHERE last4 = $1`, [
      expiring.slice(-4),
    ]);
    const cases: [key: string, check: string, status: string, message: string][] = [
      ['', 'settings', 'error', 'GATEHOUSE_SECRET_KEY is not set'],
      [publishableKey, 'settings', 'error', 'The key is a publishable key'],
      [projectSecretKey.slice(0, -1), 'key', 'error', 'Gatehouse rejects the secret key'],
      [revoked, 'key', 'error', 'Gatehouse rejects the secret key'],
      [expiring, 'key', 'warning', 'in 2 days'],
    ];
    for (const [key, check, status, message] of cases) {
      const { findings, problems } = await diagnose({ GATEHOUSE_SECRET_KEY: key });
      expect(problems).toEqual([
        { check, status, message: expect.stringContaining(message), fix: expect.any(String) },
      ]);
      // The other checks do not depend on the key.
      expect(findings.map((each) => each.check)).toContain('readiness');
      if (key) expect(JSON.stringify(findings)).not.toContain(key);
    }
    const limited = await insertKey(instance, {
      ...instance.credentials,
      type: 'secret',
      scopes: ['event:read'],
    });
    const { code, findings } = await diagnose({ GATEHOUSE_SECRET_KEY: limited });
    expect(code).toBe(0);
    expect(findings.filter(({ message }) => message.startsWith('requires a key'))).toHaveLength(3);
  });

  it('reports disabled endpoints, dead letters, waiting emails and unrestricted origins', async () => {
    const { projectId } = instance.credentials;
    const endpoint = await instance.createEndpoint('http://127.0.0.1:9/hook', ['customer.created']);
    const at = Date.now() - 60_000;
    await seedDeliveries(instance, [
      { endpointId: endpoint.id, projectId, state: 'failed', attempts: [{ at, status: 500 }] },
    ]);
    await instance.sql(
      `UPDATE webhook_endpoints SET status = 'disabled', disabled_reason = 'failing', disabled_at = now()`,
    );
    await registerCustomer(instance);
    await instance.sql(`UPDATE mails SET created_at = now() - interval '10 minutes'`);
    await instance.sql(`UPDATE projects SET environment = 'production' WHERE id = $1`, [projectId]);
    const { code, problems } = await diagnose();
    expect(code).toBe(1);
    expect(problems).toEqual([
      expect.objectContaining({ check: 'origins', status: 'warning' }),
      expect.objectContaining({
        check: 'webhooks',
        status: 'error',
        message: expect.stringContaining(`(${endpoint.id}) was disabled`),
      }),
      expect.objectContaining({ check: 'webhooks', status: 'warning', message: 'Dead letters: 1' }),
      expect.objectContaining({
        check: 'emails',
        status: 'error',
        message: expect.stringContaining('five minutes: 1'),
      }),
    ]);
    const { stdout } = await runCli(instance, ['doctor']);
    expect(stdout).toMatch(/^! webhooks +Dead letters: 1\n +Fix: Repair the receivers, /m);
    expect(stdout).toMatch(/\n2 errors, 2 warnings\.\n$/);
  });
});
