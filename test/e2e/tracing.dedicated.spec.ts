import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '../support/eventually.js';
import { MailServer } from '../support/mail-server.js';
import { OtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.js';
import { Receiver, respondWithStatus, type ReceivedRequest } from '../support/receiver.js';
import type { ServerProcess } from '../support/server-process.mjs';
import { PASSWORD, TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

const CALLER = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };

let instance: TestInstance;
let otlp: OtlpReceiver;
let receiver: Receiver;
let coverageFolder: string;
const mailServer = new MailServer();

beforeAll(async () => {
  otlp = await OtlpReceiver.start();
  receiver = await Receiver.start();
  await mailServer.start();
  coverageFolder = await mkdtemp(join(tmpdir(), 'gatehouse-coverage-'));
  instance = await TestInstance.start({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: otlp.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc',
      OTEL_EXPORTER_OTLP_TIMEOUT: '600000',
      OTEL_BSP_SCHEDULE_DELAY: '20',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      SMTP_URL: mailServer.url,
      RATE_LIMITS: 'off',
      TIME_SCALE: '10',
      WEBHOOK_RETRY_SCHEDULE: '0s,0s,0s,0s,0s',
      WEBHOOK_TIMEOUT: '60s',
      // Node.js writes the scripts that a process has loaded into this folder when the process ends.
      NODE_V8_COVERAGE: coverageFolder,
    },
  });
  await instance.createEndpoint(receiver.url, ['customer.created']);
});
afterAll(async () => {
  await instance?.stop();
  await Promise.all([receiver?.stop(), otlp?.stop(), mailServer.stop()]);
  await rm(coverageFolder, { recursive: true, force: true });
});

/** Registers a customer as a caller with a trace. @returns the webhook of the registration */
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

/** Returns the trace id and the span id of a `traceparent` header. */
function parseTraceparent(header: unknown): { traceId: string; spanId: string } {
  const [, traceId, spanId] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/.exec(String(header)) ?? [];
  expect(traceId).toBeDefined();
  return { traceId: traceId!, spanId: spanId! };
}

it('one trace contains a registration, its statements, the webhook and the email', async () => {
  const webhook = await register(`00-${CALLER.traceId}-${CALLER.spanId}-01`);
  const spans = await eventually('the spans of the worker', () => {
    const found = otlp.listByTrace(CALLER.traceId);
    const names = found.map(({ name }) => name);
    return names.includes('deliver webhook') && names.includes('deliver email') && found;
  });
  const find = (name: string): ReceivedSpan => spans.find((span) => span.name === name)!;
  const namesOfChildren = ({ spanId }: ReceivedSpan) =>
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
  expect(namesOfChildren(request)).toEqual(
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
  expect(namesOfChildren(delivery)).toEqual(['claim delivery', 'POST', 'UPDATE deliveries']);
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
  expect(namesOfChildren(email)).toEqual(['claim email', 'send email', 'UPDATE mails']);

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

it('a collector that does not respond delays no request, and processes stop with exit code 0', async () => {
  otlp.isHanging = true;
  await register();
  await eventually('an unanswered export', () => otlp.pending.length > 0);
  await register();
  const processes = [instance.api, ...instance.workers];
  expect(await Promise.all(processes.map((each) => each.stop()))).toEqual([0, 0]);
});

it('without OTEL_EXPORTER_OTLP_ENDPOINT, a process loads no SDK and sends no traceparent', async () => {
  const traced = [instance.api, ...instance.workers];
  otlp.isHanging = false;
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: '' };
  const untraced = [instance.startApi(env), instance.startWorker(env)];
  await instance.waitUntilReady();
  const webhook = await register(`00-${CALLER.traceId}-${CALLER.spanId}-01`);
  expect(webhook.headers).not.toHaveProperty('traceparent');
  const [line] = instance.api.log.filter(({ route }) => route === '/api/v1/auth/register');
  expect(line).not.toHaveProperty('trace_id');
  await Promise.all(untraced.map((each) => each.stop()));
  const loadsSdk = (processes: ServerProcess[]) => Promise.all(processes.map(hasLoadedSdk));
  expect(await loadsSdk(traced)).toEqual([true, true]);
  expect(await loadsSdk(untraced)).toEqual([false, false]);
});

/** Returns whether one of the scripts that an ended process had loaded contains the SDK of OpenTelemetry. */
async function hasLoadedSdk({ pid }: ServerProcess): Promise<boolean> {
  const reports = (await readdir(coverageFolder)).filter((name) => name.startsWith(`coverage-${pid}-`));
  expect(reports).not.toEqual([]);
  for (const report of reports) {
    const { result } = JSON.parse(await readFile(join(coverageFolder, report), 'utf8')) as {
      result: { url: string }[];
    };
    for (const { url } of result.filter((script) => script.url.startsWith('file:')))
      if ((await readFile(fileURLToPath(url), 'utf8')).includes('BatchSpanProcessorBase')) return true;
  }
  return false;
}
