import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '../support/eventually.js';
import { MailServer } from '../support/mail-server.js';
import { OtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.js';
import { Receiver, respondWithStatus, type ReceivedRequest } from '../support/receiver.js';
import { entryPoints, freePort, ServerProcess } from '../support/server-process.mjs';
import { PASSWORD, TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

const CALLER = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };

let instance: TestInstance;
let otlp: OtlpReceiver;
let receiver: Receiver;
const mailServer = new MailServer();

beforeAll(async () => {
  otlp = await OtlpReceiver.start();
  receiver = await Receiver.start();
  await mailServer.start();
  instance = await TestInstance.start({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: otlp.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc',
      OTEL_EXPORTER_OTLP_TIMEOUT: '600000',
      OTEL_BSP_SCHEDULE_DELAY: '20',
      SMTP_URL: mailServer.url,
      RATE_LIMITS: 'off',
      TIME_SCALE: '10',
      WEBHOOK_RETRY_SCHEDULE: '0s,0s,0s,0s,0s',
      WEBHOOK_TIMEOUT: '60s',
    },
  });
  await instance.createEndpoint(receiver.url, ['customer.created']);
});
afterAll(async () => {
  await instance?.stop();
  await Promise.all([receiver?.stop(), otlp?.stop(), mailServer.stop()]);
});

/** Registers a customer as a caller with a trace. @returns the registration webhook */
async function register(traceparent?: string): Promise<ReceivedRequest> {
  const email = uniqueEmail();
  const { status } = await instance.request('POST', '/api/v1/auth/register', {
    body: { email, password: PASSWORD },
    headers: {
      'x-publishable-key': instance.credentials.publishableKey,
      ...(traceparent ? { traceparent } : {}),
    },
  });
  expect(status).toBe(201);
  return eventually('the webhook', () => receiver.requests.find(({ body }) => body.includes(email)));
}

/** Returns a `traceparent` header's trace id and span id. */
function parseTraceparent(header: unknown): { traceId: string; spanId: string } {
  const [, traceId, spanId] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/.exec(String(header)) ?? [];
  expect(traceId).toBeDefined();
  return { traceId: traceId!, spanId: spanId! };
}

it('one trace contains a registration, its statements, the webhook and the email', async () => {
  const webhook = await register(`00-${CALLER.traceId}-${CALLER.spanId}-01`);
  // The API and the worker export their spans separately, and a parent arrives after its children.
  const last = ['POST /api/v1/auth/register', 'deliver webhook', 'deliver email'];
  const spans = await eventually('the spans of the API and the worker', () => {
    const found = otlp.listByTrace(CALLER.traceId);
    return last.every((name) => found.some((span) => span.name === name)) && found;
  });
  const find = (name: string): ReceivedSpan => spans.find((span) => span.name === name)!;
  const listChildNames = ({ spanId }: ReceivedSpan) =>
    spans.filter(({ parentSpanId }) => parentSpanId === spanId).map(({ name }) => name);

  const request = find('POST /api/v1/auth/register');
  expect(request).toMatchObject({
    parentSpanId: CALLER.spanId,
    kind: 'SERVER',
    isError: false,
    service: 'gatehouse-api',
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/api/v1/auth/register',
      'http.response.status_code': 201,
      'gatehouse.project_id': instance.credentials.projectId,
    },
  });
  expect(listChildNames(request)).toEqual(
    expect.arrayContaining([
      'START',
      'INSERT customers',
      'INSERT mails',
      'INSERT events',
      'COMMIT',
      'deliver webhook',
      'deliver email',
    ]),
  );
  const { port } = new URL(instance.env['DATABASE_URL']!);
  expect(find('INSERT events')).toMatchObject({
    kind: 'CLIENT',
    service: 'gatehouse-api',
    attributes: {
      'db.system.name': 'postgresql',
      'db.operation.name': 'INSERT',
      'db.query.text': expect.stringContaining('INSERT INTO events'),
      'server.port': Number(port),
    },
  });

  const delivery = find('deliver webhook');
  expect(delivery).toMatchObject({ kind: 'CONSUMER', service: 'gatehouse-webhook-worker' });
  expect(delivery.attributes).toMatchObject({
    'gatehouse.event_type': 'customer.created',
    'gatehouse.attempt': 1,
  });
  expect(listChildNames(delivery)).toEqual(['claim delivery', 'POST', 'UPDATE deliveries']);
  const send = find('POST');
  expect(send).toMatchObject({
    kind: 'CLIENT',
    attributes: { 'server.address': '127.0.0.1', 'http.response.status_code': 200 },
  });
  expect(parseTraceparent(webhook.headers['traceparent'])).toEqual({
    traceId: CALLER.traceId,
    spanId: send.spanId,
  });
  expect(webhook.body).not.toMatch(/trace|4bf92f35/);

  const email = find('deliver email');
  expect(email).toMatchObject({
    kind: 'CONSUMER',
    attributes: { 'gatehouse.mail_kind': 'verify-email' },
  });
  expect(listChildNames(email)).toEqual(['claim email', 'send email', 'UPDATE mails']);

  expect(otlp.headers['authorization']).toBe('Bearer abc');
  const traced = { trace_id: CALLER.traceId };
  expect(instance.api.log).toContainEqual(
    expect.objectContaining({ ...traced, message: 'request', span_id: request.spanId }),
  );
  for (const message of ['delivery attempt', 'email sent'])
    expect(instance.workers[0]!.log).toContainEqual(expect.objectContaining({ ...traced, message }));
});

it('a later attempt and a redelivery continue the trace of the event', async () => {
  receiver.respondWith(respondWithStatus(500));
  const first = await register();
  const { traceId } = parseTraceparent(first.headers['traceparent']);
  const requests = (count: number) =>
    eventually(`${count} requests`, () => {
      const sent = receiver.requests.filter(({ body }) => body === first.body);
      return sent.length === count && sent;
    });
  await requests(2);
  const attempt = await eventually('the attempt in the log', async () =>
    (await instance.listAttempts({ success: 'true' })).find(
      ({ event_id }) => event_id === first.headers['webhook-id'],
    ),
  );
  const path = `/v1/webhooks/deliveries/${attempt['id']}/redeliver`;
  const { status } = await instance.requestWithSecretKey('POST', path, { reason: 'test' });
  expect(status).toBe(202);
  const sent = await requests(3);
  const ids = sent.map(({ headers }) => parseTraceparent(headers['traceparent']));
  expect(ids.map((id) => id.traceId)).toEqual([traceId, traceId, traceId]);
  expect(new Set(ids.map(({ spanId }) => spanId)).size).toBe(3);
  await eventually('the failed attempt', () =>
    otlp
      .listByTrace(traceId)
      .find(
        ({ name, isError, attributes }) => name === 'POST' && isError && attributes['error.type'] === '500',
      ),
  );
});

it('a silent collector delays neither requests nor shutdown, which ends with exit code 0', async () => {
  otlp.isHanging = true;
  await register();
  await eventually('an unanswered export', () => otlp.pending.length > 0);
  await register();
  const processes = [instance.api, ...instance.workers];
  expect(await Promise.all(processes.map((each) => each.stop()))).toEqual([0, 0]);
});

it('a program loads the SDK only with OTEL_EXPORTER_OTLP_ENDPOINT', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-coverage-'));
  /** Starts a program up to its first connection attempt. Returns true if it has loaded the SDK. */
  const loadsSdk = async (entryPoint: string, endpoint: string): Promise<boolean> => {
    const { MIGRATE_DATABASE_URL: _, ...env } = instance.env;
    const server = new ServerProcess(entryPoint, {
      ...env,
      PORT: String(await freePort()),
      DATABASE_URL: `postgres://gatehouse@127.0.0.1:${await freePort()}/gatehouse`,
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      // When the process ends, Node.js writes the scripts it has loaded into this folder.
      NODE_V8_COVERAGE: folder,
    });
    await eventually('the first attempt to connect', () =>
      server.log.some(({ message }) => message === 'database unreachable, retrying'),
    );
    await server.stop();
    const scripts = await listLoadedScripts(folder, server.pid);
    const sources = await Promise.all(scripts.map((path) => readFile(path, 'utf8')));
    expect(scripts).toContain(entryPoint);
    return sources.some((source) => source.includes('BatchSpanProcessorBase'));
  };
  try {
    const { api, worker } = entryPoints;
    const loaded = [loadsSdk(api, ''), loadsSdk(worker, ''), loadsSdk(worker, otlp.url)];
    expect(await Promise.all(loaded)).toEqual([false, false, true]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** Returns the files that an ended process had loaded as scripts. */
async function listLoadedScripts(folder: string, pid: number): Promise<string[]> {
  const reports = (await readdir(folder)).filter((name) => name.startsWith(`coverage-${pid}-`));
  const contents = await Promise.all(reports.map((name) => readFile(join(folder, name), 'utf8')));
  const urls = contents.flatMap((text) =>
    (JSON.parse(text) as { result: { url: string }[] }).result.map(({ url }) => url),
  );
  return [...new Set(urls)].filter((url) => url.startsWith('file:')).map((url) => fileURLToPath(url));
}
