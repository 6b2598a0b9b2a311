import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createClient, type Gatehouse } from '@gatehouse/server';
import { run } from '../../scripts/processes.mjs';
import { parseLines, runCli, startCli, type CliOptions } from '../support/cli.js';
import { FAST_RETRIES, waitForDeadLetters } from '../support/dead-letters.js';
import { eventually } from '../support/eventually.js';
import { Receiver, respondWithStatus } from '../support/receiver.js';
import { TestInstance, PASSWORD } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
/** A client with the organization's key. */
let gatehouse: Gatehouse;
let folder: string;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workerEnv: FAST_RETRIES });
  const { projectId, secretKey } = instance.credentials;
  gatehouse = createClient({ url: instance.baseUrl, projectId, secretKey });
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-cli-'));
});
afterAll(async () => {
  await instance?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** The environment of a command that uses the organization's key. */
const organization = (): Record<string, string> => ({ GATEHOUSE_SECRET_KEY: instance.credentials.secretKey });

/** Runs a command that must succeed. @returns its output */
async function succeed(args: string[], options: CliOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await runCli(instance, args, { cwd: folder, ...options });
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr });
  return stdout;
}

/** Polls every 25 ms instead of once a second. */
const wait = (): Promise<void> => sleep(25);

describe('gatehouse customers', () => {
  let project: string;
  let emails: string[];
  beforeAll(async () => {
    project = (await gatehouse.projects.create({ name: 'Shop' })).id;
    emails = [uniqueEmail(), uniqueEmail(), uniqueEmail()];
    for (const email of emails)
      await gatehouse.customers.create({
        projectId: project,
        email,
        firstName: 'Ada \u202e',
        password: PASSWORD,
      });
  });
  const options = () => ({ env: { ...organization(), GATEHOUSE_PROJECT_ID: project } });

  it('lists one page or all pages, and gets a customer by id and by email', async () => {
    const newestFirst = emails.toReversed();
    const list = ['customers', 'list', '--json'];
    const emailsOf = (output: string): string[] => parseLines(output).map(({ email }) => email as string);
    const first = await runCli(instance, [...list, '--limit', '2'], options());
    expect(emailsOf(first.stdout)).toEqual(newestFirst.slice(0, 2));
    const cursor = /--cursor (\S+)/.exec(first.stderr)![1]!;
    expect(emailsOf(await succeed([...list, '--cursor', cursor], options()))).toEqual(newestFirst.slice(2));
    expect(emailsOf(await succeed([...list, '--all'], options()))).toEqual(newestFirst);
    expect(emailsOf(await succeed([...list, '--disabled', 'true'], options()))).toEqual([]);

    const env = { ...options().env, NO_COLOR: '1' };
    const table = await succeed(['customers', 'list'], { env, columns: 100 });
    expect(table).toContain('U+202E');
    expect(table).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
    const [{ id }] = parseLines(await succeed(['customers', 'get', emails[0]!, '--json'], options()));
    expect(await succeed(['customers', 'get', id], options())).toContain(emails[0]);
    expect(await runCli(instance, ['customers', 'get', uniqueEmail()], options())).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^Error: No customer has the email address/),
    });
  });

  it('exports all customers to a file that only its owner can read', async () => {
    const args = ['customers', 'export', 'customers.ndjson', '--hashes'];
    await succeed(args, options());
    const file = join(folder, 'customers.ndjson');
    const lines = parseLines(await readFile(file, 'utf8'));
    expect(lines).toMatchObject(emails.map((email) => ({ email, passwordHash: expect.any(String) })));
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await runCli(instance, args, { cwd: folder, ...options() })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--force'),
    });
    const printed = await succeed(['customers', 'export'], { ...options(), columns: 80 });
    expect(printed).not.toMatch(/\p{Bidi_Control}/u);
    expect(parseLines(printed).map(({ email }) => email as string)).toEqual(emails);
  });

  it('does not leave a file if the connection ends during an export', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.write('{"email":"ada@example.com"}\n{"email":"', () => response.destroy());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const env = { ...options().env, GATEHOUSE_URL: url };
    const result = await runCli(instance, ['customers', 'export', 'broken.ndjson'], { cwd: folder, env });
    server.closeAllConnections();
    server.close();
    expect(result).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/ended after 1 customer\.[^]*Run the command again/),
    });
    expect((await readdir(folder)).filter((name) => name.startsWith('broken'))).toEqual([]);
  });
});

describe('gatehouse keys', () => {
  it('prints the value of a new key once, as the only output on stdout', async () => {
    const args = ['keys', 'create', 'Shop', '--scopes', 'customer:read', '--expires-at', '30d'];
    const { code, stdout, stderr } = await runCli(instance, args);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^sk_\w+\n$/)]);
    expect(stderr).toContain('shown only once');
    const key = stdout.trim();
    await succeed(['customers', 'list'], { env: { GATEHOUSE_SECRET_KEY: key } });
    expect(await runCli(instance, ['events', 'tail'], { env: { GATEHOUSE_SECRET_KEY: key } })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Fix: Use a secret key with the scope event:read.'),
    });
    const [listed] = parseLines(await succeed(['keys', 'list', '--limit', '1', '--json']));
    expect(listed).toMatchObject({ name: 'Shop', scopes: ['customer:read'], last4: key.slice(-4) });
    expect(await succeed(['keys', 'list'])).not.toContain(key);
  });

  it('rotates a key, and revokes one only after confirmation', async () => {
    const [created] = parseLines(await succeed(['keys', 'create', 'Old', '--json']));
    const [rotated] = parseLines(await succeed(['keys', 'rotate', created.id, '--overlap', '0s', '--json']));
    expect(rotated).toMatchObject({ rotatedFrom: created.id, key: expect.stringMatching(/^sk_/) });
    const env = { GATEHOUSE_SECRET_KEY: rotated.key as string };
    const revoke = ['keys', 'revoke', rotated.id as string];
    expect(await runCli(instance, revoke)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--yes'),
    });
    expect(await runCli(instance, revoke, { columns: 80, input: 'n\n' })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Not confirmed'),
    });
    const revocation = await startCli(instance, revoke, { columns: 80 });
    await revocation.waitFor('[y/N]', 'stderr');
    expect(await revocation.interrupt()).toBe(130);
    await succeed(['customers', 'list'], { env });
    await succeed(revoke, { columns: 80, input: 'y\n' });
    const last = await eventually('the key to be rejected', async () => {
      const result = await runCli(instance, ['customers', 'list'], { env });
      return result.code === 1 && result;
    });
    expect(last.stderr).toContain('invalid_api_key');
  });
});

describe('gatehouse deliveries', () => {
  let receiver: Receiver;
  let endpoint: string;
  beforeAll(async () => {
    receiver = await Receiver.start();
    endpoint = (await instance.createEndpoint(receiver.url, ['app.*'])).id;
  });
  afterAll(async () => receiver?.stop());
  const options = () => ({ env: organization() });

  it('sends an event with its exact data, and lists, shows and redelivers its deliveries', async () => {
    receiver.defaultResponder = respondWithStatus(999, 'out of paper\u001b]0;\u0007\n<\u202e>');
    await writeFile(join(folder, 'order.json'), '{"total": 49.90,\n "id": "1"}');
    await succeed(['trigger', 'app.order.paid', '--data', '@order.json'], options());
    const [event] = parseLines(await succeed(['trigger', 'app.order.sent', '--json'], options()));
    const [sent, paid] = await waitForDeadLetters(instance, endpoint, 2);
    expect(receiver.requests[0]!.body).toContain('"data":{"total": 49.90,\n "id": "1"}');

    const list = ['deliveries', 'list', '--event-id', event.id as string, '--failed', '--all'];
    const attempts = parseLines(await succeed([...list, '--json'], options()));
    expect(attempts.map(({ attempt, delivery_id: id }) => [attempt, id])).toEqual(
      [5, 4, 3, 2, 1].map((attempt) => [attempt, sent]),
    );
    const shown = await succeed(['deliveries', 'show', sent!], options());
    expect(shown).toContain('Attempt 5/5');
    expect(shown).toContain('  out of paper[U+001B]]0;[U+0007]\n  <[U+202E]>\n');

    receiver.defaultResponder = respondWithStatus(200);
    const unknown = `dlv_${randomUUID()}`;
    expect(await runCli(instance, ['deliveries', 'redeliver', unknown, sent!], options())).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(`^Redelivered ${sent!} as dlv_`),
      stderr: expect.stringContaining(unknown),
    });
    const redeliver = ['deliveries', 'redeliver', '--endpoint', endpoint, '--event', 'app.*'];
    redeliver.push('--status-class', 'other', '--http-status', '999');
    expect(await runCli(instance, redeliver, options())).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^1 delivery matches, 1 can be redelivered\.\n[^]*--yes/),
    });
    const [redelivery] = parseLines(await succeed([...redeliver, '--yes', '--json'], { ...options(), wait }));
    expect(redelivery).toMatchObject({ state: 'completed', progress: { succeeded: 1, failed: 0 } });
    expect(parseLines(await succeed(['deliveries', 'show', paid!, '--json'], options()))).toMatchObject([
      { resolution: 'redelivered' },
    ]);
    expect(await runCli(instance, ['deliveries', 'redeliver'], options())).toMatchObject({ code: 2 });
  });

  it('sends the test event to an endpoint', async () => {
    await succeed(['trigger', 'webhook.test', '--endpoint', endpoint], options());
    await eventually('the test event', () => receiver.listByType('webhook.test').length === 1);
  });
});

describe('gatehouse events tail', () => {
  /** A proxy for the API. While it is down, it responds with 503. */
  let proxy: Server;
  let isDown = false;
  beforeAll(async () => {
    proxy = createServer((request, response) => void forward(request.url!, request.headers, response));
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
  });
  afterAll(() => {
    proxy.closeAllConnections();
    proxy.close();
  });

  async function forward(path: string, headers: object, response: ServerResponse): Promise<void> {
    if (isDown) return void response.writeHead(503).end();
    const key = String((headers as Record<string, string>)['x-api-key']);
    const upstream = await fetch(instance.baseUrl + path, { headers: { 'x-api-key': key } });
    const date = upstream.headers.get('date')!;
    response.writeHead(upstream.status, { 'content-type': upstream.headers.get('content-type')!, date });
    response.end(await upstream.text());
  }

  it('prints each event once, in order, even after an outage', async () => {
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const { projectSecretKey } = instance.credentials;
    const sent: string[] = [];
    const sendOne = async (): Promise<string> => {
      const { id } = await gatehouse.events.create({ type: 'app.tail', data: { note: '\u202e' } });
      sent.push(id);
      return id;
    };
    await gatehouse.events.create({ type: 'app.tail', data: {} });
    const since = new Date().toISOString();
    const args = ['events', 'tail', '--types', 'app.tail', '--since', since, '--json'];
    const env = { GATEHOUSE_URL: url, GATEHOUSE_SECRET_KEY: projectSecretKey };
    const tail = await startCli(instance, args, { env, wait });
    await tail.waitFor(await sendOne());
    isDown = true;
    await tail.waitFor('Waiting for Gatehouse', 'stderr');
    await sendOne();
    const last = await sendOne();
    isDown = false;
    await tail.waitFor(last);
    expect(await tail.interrupt()).toBe(130);
    expect(parseLines(tail.stdout).map(({ id }) => id as string)).toEqual(sent);
    expect(tail.stdout).not.toContain('\u202e');
    expect(tail.stderr).toContain('Gatehouse responds again.');

    const now = await startCli(instance, ['events', 'tail'], { wait });
    await now.waitFor(await sendOne());
    await now.interrupt();
  });
});

it('the gatehouse command runs as a program', async () => {
  const env = {
    ...process.env,
    NODE_OPTIONS: '',
    GATEHOUSE_URL: instance.baseUrl,
    GATEHOUSE_SECRET_KEY: instance.credentials.projectSecretKey,
  };
  const program = 'packages/cli/dist/main.js';
  const list = await run(process.execPath, [program, 'customers', 'list', '--email', uniqueEmail()], { env });
  expect(list).toMatchObject({ code: 0, output: 'No customers\n' });
  const invalid = await run(process.execPath, [program, 'customers', 'list', '--url', 'none'], { env });
  expect(invalid).toMatchObject({
    code: 2,
    output: expect.stringMatching(/^Error: The Gatehouse URL is invalid/),
  });
});
