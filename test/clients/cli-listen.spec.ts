import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { selfSigned } from '../support/certificates.js';
import { expectStatus } from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import { ListenCommand } from '../support/listen-command.js';
import { Receiver, respondWithStatus, type ReceivedRequest } from '../support/receiver.js';
import { freePort } from '../support/server-process.mjs';
import { insertProject, type Tenant } from '../support/tenants.js';
import { TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';
import { waitForFeed } from '../support/wait-for-feed.js';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

let instance: TestInstance;
let tenant: Tenant;
let folder: string;
let receiver: Receiver;
const commands: ListenCommand[] = [];
let program: ChildProcess | undefined;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workerEnv: { PERIODIC_JOBS: 'off' } });
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-listen-'));
});
beforeEach(async () => {
  tenant = await insertProject(instance, instance.credentials.organizationId);
  receiver = await Receiver.start();
});
afterEach(async () => {
  for (const command of commands.splice(0)) await command.interrupt();
  // Already ended, unless the test failed.
  program?.kill('SIGKILL');
  await receiver.stop();
});
afterAll(async () => {
  await instance?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** Starts `gatehouse listen`, and waits until it receives new events. */
async function listen(url: string, ...args: string[]): Promise<ListenCommand> {
  const settings = { url: instance.baseUrl, secretKey: tenant.secretKey, secret: SECRET };
  const command = new ListenCommand(settings, ['--forward', url, ...args]);
  commands.push(command);
  await command.waitFor('ready');
  return command;
}

/** Creates custom events with these names, in this order. @returns their ids */
async function createEvents(...names: string[]): Promise<string[]> {
  const events = names.map((name) => ({ type: `app.${name}`, data: {} }));
  const { body } = expectStatus(
    201,
    await instance.requestWithBearer(tenant.secretKey, 'POST', '/v1/events', events),
  );
  return body.data.map(({ id }: { id: string }) => id);
}

/** Returns all header names, and the headers that are the same for every receiver and attempt. */
function comparableHeaders({ headers }: ReceivedRequest): { names: string[]; fixed: object } {
  const { host: _host, connection: _connection, ...others } = headers;
  const { 'webhook-timestamp': _timestamp, 'webhook-signature': _signature, ...fixed } = others;
  return { names: Object.keys(others).sort(), fixed };
}

const receivedBy = (target: Receiver): string[] => target.requests.map(({ event }) => event.type.slice(4));

it('gatehouse listen sends what an endpoint receives, byte for byte, except for erased events', async () => {
  const asTenant = (method: string, path: string, body?: unknown) =>
    instance.requestWithBearer(tenant.secretKey, method, path, body);
  const endpoint = await Receiver.start();
  try {
    const { body } = expectStatus(
      201,
      await asTenant('POST', '/v1/webhooks/endpoints', { url: endpoint.url, events: ['*'] }),
    );
    expect(body.data.secret).not.toBe(SECRET);
    const customer = await asTenant('POST', '/api/v1/customers', { email: uniqueEmail() });
    expectStatus(204, await asTenant('DELETE', `/api/v1/customers/${customer.body.id}`));
    const data = '{ "total": 49.90, "2": "\\u00e9",\n"1": [1E2] }';
    expectStatus(201, await asTenant('POST', '/v1/events', `{"type":"app.order.paid","data":${data}}`));
    await waitForFeed(instance);
    const command = await listen(receiver.url, '--since', '1h', '--types', 'customer.*,app.*');
    await command.waitFor('response', 2);
    expect(command.list('skipped').map((record) => record['event_type'])).toEqual(['customer.created']);
    expect(receiver.requests.map(({ event }) => event.type)).toEqual(['customer.deleted', 'app.order.paid']);
    for (const request of receiver.requests) {
      new Webhook(SECRET).verify(request.body, request.headers as Record<string, string>);
      const [delivery] = await eventually('the delivery', () => {
        const found = endpoint.listByType(request.event.type);
        return found.length > 0 && found;
      });
      expect(request.body).toBe(delivery!.body);
      expect(comparableHeaders(request)).toEqual(comparableHeaders(delivery!));
    }
    expect(receiver.requests[1]!.body).toContain(data);
  } finally {
    await endpoint.stop();
  }
});

it('gatehouse listen keeps events in order while the receiver is unreachable, failing or slow', async () => {
  const port = await freePort();
  const command = await listen(`127.0.0.1:${port}/hook`);
  const ids = await createEvents('one', 'two', 'three');
  await command.waitFor('unreachable');
  await eventually('growing pauses', () => command.pauses.includes(8_000));
  let endSlowResponse: (() => void) | undefined;
  let local = await Receiver.start(port);
  local.respondWith(
    respondWithStatus(500, 'the database\nis down'),
    (response) => (endSlowResponse = () => response.end()),
  );
  const end = await eventually('the slow request', () => endSlowResponse);
  expect(receivedBy(local)).toEqual(['one', 'two']);
  end();
  await command.waitFor('response', 3);
  expect(receivedBy(local)).toEqual(['one', 'two', 'three']);
  await local.stop();

  ids.push(...(await createEvents('four')));
  await command.waitFor('unreachable', 2);
  local = await Receiver.start(port);
  try {
    await command.waitFor('response', 4);
    command.press('r');
    const responses = await command.waitFor('response', 5);
    expect(receivedBy(local)).toEqual(['four', 'one']);
    expect(responses).toMatchObject([
      { event_id: ids[0], status: 500, error: 'http_error', response_body: 'the database\nis down' },
      { event_id: ids[1], status: 200, error: null },
      { event_id: ids[2], status: 200 },
      { event_id: ids[3], status: 200, is_redelivery: false },
      { event_id: ids[0], status: 200, is_redelivery: true },
    ]);
    expect(command.records.map(({ kind }) => kind).filter((kind) => /reachable/.test(kind))).toEqual([
      'unreachable',
      'reachable',
      'unreachable',
      'reachable',
    ]);
    expect(await command.interrupt()).toMatchObject({ delivered: 4, failed: [], cursor: expect.any(String) });
  } finally {
    await local.stop();
  }
});

it('gatehouse listen --after resumes at the interrupted event', async () => {
  const ids = await createEvents('one', 'two', 'three', 'four');
  await waitForFeed(instance);
  receiver.respondWith(respondWithStatus(204), respondWithStatus(503), () => undefined);
  const first = await listen(receiver.url, '--since', '1h', '--types', 'app.*');
  await eventually('the third request', () => receiver.requests.length === 3);
  first.press('q');
  expect(await first.exitCode).toBe(0);
  const [summary] = first.list('summary');
  expect(summary).toMatchObject({ delivered: 1, failed: [ids[1]], repeated: 0, types: 'app.*' });
  const position = ['--since', summary!['since'], '--after', summary!['cursor']];
  const second = await listen(receiver.url, '--types', 'app.*', ...position);
  await second.waitFor('response', 2);
  expect(receivedBy(receiver)).toEqual(['one', 'two', 'three', 'three', 'four']);
});

it("gatehouse listen explains why it rejects a receiver's certificate, and continues", async () => {
  const server = createTlsServer(selfSigned(['localhost'])).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const command = await listen(`https://localhost:${(server.address() as AddressInfo).port}/hook`);
    const ids = await createEvents('one', 'two');
    await command.waitFor('response', 2);
    // On a terminal, Ctrl-C arrives as a character.
    command.press('\u0003');
    expect(await command.exitCode).toBe(130);
    expect(command.list('summary')).toMatchObject([{ delivered: 0, failed: ids }]);
    expect(command.list('response')[0]).toMatchObject({
      error: 'tls_error',
      message: expect.stringMatching(/not trusted .*NODE_EXTRA_CA_CERTS/),
    });
  } finally {
    server.close();
  }
});

it('gatehouse listen prints its secret, each response and, when it is interrupted, a summary', async () => {
  const args = ['packages/cli/dist/main.js', 'listen', '--forward', receiver.url];
  const env = {
    PATH: process.env['PATH'],
    GATEHOUSE_URL: instance.baseUrl,
    GATEHOUSE_SECRET_KEY: tenant.secretKey,
    XDG_CONFIG_HOME: folder,
  };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  program = child;
  const stdout = text(child.stdout);
  let notes = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (notes += chunk));
  const closed = once(child, 'close');
  const [, secret] = await eventually('the secret', () => /Signing secret: (whsec_\S+) /.exec(notes));
  receiver.respondWith(respondWithStatus(200), respondWithStatus(418, 'a \u001b[31mteapot'), () => undefined);
  await createEvents('one', 'two', 'three');
  await eventually('the third request', () => receiver.requests.length === 3);
  child.kill('SIGINT');
  expect(await closed).toEqual([130, null]);
  const [first] = receiver.requests;
  new Webhook(secret!).verify(first!.body, first!.headers as Record<string, string>);
  const line = (status: number, type: string): string =>
    `\\S+ \\S+Z  ${status}  ${type} +evt_[0-9a-f-]+  \\d+ ms\n`;
  const failure = '    the receiver responded with 418: a \\[U\\+001B\\]\\[31mteapot\n';
  expect(await stdout).toMatch(new RegExp(`^${line(200, 'app.one')}${line(418, 'app.two')}${failure}$`));
  expect(notes).toMatch(
    /1 delivered, 1 failed\.\nFailed: evt_\S+\nTo continue after the last event, use --after \S+\n$/,
  );
});
