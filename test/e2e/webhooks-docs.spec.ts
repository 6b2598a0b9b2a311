import { execFile, spawn, spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { codeBlocks, shellBlock } from '../support/code-blocks.js';
import { emit, finished, hastily } from '../support/dead-letters.js';
import { eventually } from '../support/eventually.js';
import { feedCaughtUp } from '../support/feed.js';
import { TestInstance } from '../support/test-instance.js';
import { freePort } from '../support/server-process.mjs';
import { Receiver, status } from '../support/receiver.js';

const DOCUMENT = 'docs/webhooks.md';
const root = process.cwd();

/** What each example is started with; a language that is not installed is told of, and skipped. */
const receivers: [string, string[]][] = [
  ['Node', [process.execPath, 'receiver.mjs']],
  ['Express', [process.execPath, 'receiver-express.mjs']],
  ['Python', ['python3', 'receiver.py']],
  ['Go', ['./receiver']],
];
const missing = [
  ['Python', 'python3', '--version'],
  ['Go', 'go', 'version'],
  ['shell', 'openssl', 'version'],
].flatMap(([language, ...tool]) => (spawnSync(tool[0]!, tool.slice(1)).error ? [language!] : []));
if (missing.length > 0) {
  process.stderr.write(`${DOCUMENT}: not run, because not installed: ${missing.join(', ')}.\n`);
}
const describeShell = missing.includes('shell') ? describe.skip : describe;

interface Signed {
  id: string;
  timestamp: string;
  signature: string;
  body: string;
}

/** How an example judges a request. */
type Judge = (request: Signed) => Promise<boolean>;

let instance: TestInstance;
/** A folder as a reader of the document would have it. */
let folder: string;
const stops: (() => void)[] = [];

beforeAll(async () => {
  instance = await TestInstance.shared({ workerEnv: { ...hastily } });
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-webhooks-'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  for (const [name, code] of await codeBlocks(DOCUMENT)) await writeFile(join(folder, name), code);
  if (missing.includes('Go')) return;
  const { PATH, HOME } = process.env;
  await promisify(execFile)('go', ['build', '-o', 'receiver', 'receiver.go'], {
    cwd: folder,
    env: { PATH, HOME, CGO_ENABLED: '0', GOTOOLCHAIN: 'local' },
  });
}, 180_000);
afterAll(async () => {
  for (const stop of stops) stop();
  await instance?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Starts an example. */
async function serve([program, ...args]: string[], secret: string, port: number) {
  const child = spawn(program!, args, {
    cwd: folder,
    env: { PATH: process.env['PATH'], WEBHOOK_SECRET: secret, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  stops.push(() => child.kill('SIGKILL'));
  const server = { output: '' };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (server.output += text));
  await eventually(`${program} listening`, async () => {
    if (child.exitCode !== null) throw new Error(server.output);
    return fetch(`http://127.0.0.1:${port}/webhooks`).then(
      () => true,
      () => false,
    );
  });
  return server;
}

function sign(secret: string, { age = 0, ...given }: Partial<Signed> & { age?: number } = {}): Signed {
  const {
    id = `evt_${randomUUID()}`,
    body = '{"id":"evt_1","type":"webhook.test","data":{"name":"Zoë 🚪"}}',
  } = given;
  const at = new Date(Date.now() - age * 1_000);
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  return { id, timestamp, body, signature: new Webhook(secret).sign(id, at, body), ...given };
}

/** What must be let in, and what must not. */
function cases(secret: string): { genuine: Record<string, Signed>; forged: Record<string, Signed> } {
  const other = `whsec_${randomBytes(32).toString('base64')}`;
  const good = sign(secret);
  const bad = sign(other).signature;
  const value = good.signature.slice(3);
  return {
    genuine: {
      'as it is sent': good,
      'before a rotation is over': { ...good, signature: `${bad} ${good.signature}` },
      'with a version of later': { ...good, signature: `v1a,abc ${good.signature} v2,` },
      'four minutes old': sign(secret, { age: 240 }),
      'from a clock that is ahead': sign(secret, { age: -240 }),
    },
    forged: {
      'another body': { ...good, body: good.body.replace('Zoë', 'Zoe') },
      'another id': { ...good, id: 'evt_2' },
      'another time': { ...good, timestamp: String(Number(good.timestamp) - 1) },
      'another secret': sign(other),
      'six minutes old': sign(secret, { age: 360 }),
      'six minutes ahead': sign(secret, { age: -360 }),
      'no signature': { ...good, signature: '' },
      'no id': { ...sign(secret, { id: '' }), id: '' },
      'no time': { ...good, timestamp: '' },
      'a word for a time': { ...good, timestamp: 'now' },
      'a time without end': { ...good, timestamp: '9'.repeat(40) },
      'an empty signature': { ...good, signature: 'v1,' },
      'a part of the signature': { ...good, signature: good.signature.slice(0, -8) },
      'more than the signature': { ...good, signature: `${good.signature}AAAA` },
      'no version': { ...good, signature: value },
      'another version': { ...good, signature: `v2,${value}` },
      'what is no base64': { ...good, signature: 'v1,é*?$(id)' },
    },
  };
}

async function expectJudged(judge: Judge, secret: string): Promise<void> {
  const { genuine, forged } = cases(secret);
  for (const [kind, request] of Object.entries(genuine))
    expect({ kind, genuine: await judge(request) }).toEqual({ kind, genuine: true });
  for (const [kind, request] of Object.entries(forged))
    expect({ kind, genuine: await judge(request) }).toEqual({ kind, genuine: false });
}

/** Asks for a test event. @returns its delivery once it is over */
async function testEvent(endpointId: string): Promise<Record<string, any>> {
  const { data } = JSON.parse(await walk(['test'], { ENDPOINT_ID: endpointId }));
  return eventually('the delivery ending', async () => {
    const answer = await instance.server('GET', `/v1/webhooks/deliveries/${data.id}`);
    return answer.body.data.state !== 'pending' && (answer.body.data as Record<string, any>);
  });
}

/** Runs shell blocks of the document one after the other. @returns what they print */
async function walk(blocks: string[], env: Record<string, string> = {}): Promise<string> {
  const script = await Promise.all(['settings', ...blocks].map((name) => shellBlock(DOCUMENT, name)));
  const { stdout } = await promisify(execFile)('sh', ['-euc', script.join('\n')], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      GATEHOUSE_URL: instance.baseUrl,
      GATEHOUSE_SECRET_KEY: instance.credentials.projectSecretKey,
      CURSOR: '',
      ...env,
    },
  });
  return stdout;
}

const createEndpoint = async (url: string): Promise<{ id: string; secret: string }> =>
  JSON.parse(await walk(['create'], { TARGET_URL: url })).data as { id: string; secret: string };

describe.each(receivers)('WH-07: the receiver in %s', (language, command) => {
  (missing.includes(language) ? it.skip : it)(
    'verifies real deliveries, also once the secret is rotated, and refuses everything else',
    async () => {
      const port = await freePort();
      const { id, secret } = await createEndpoint(`http://127.0.0.1:${port}/webhooks`);
      const server = await serve(command, secret, port);

      const first = await testEvent(id);
      expect(first).toMatchObject({ state: 'succeeded', attempts: [{ http_status: 204, error: null }] });
      const rotated = JSON.parse(await walk(['rotate'], { ENDPOINT_ID: id })).data.secret as string;
      expect(rotated).not.toBe(secret);
      const second = await testEvent(id);
      expect(second).toMatchObject({ state: 'succeeded', attempts: [{ http_status: 204 }] });
      const verified = server.output.split('\n').filter((line) => line.startsWith('verified'));
      expect(verified).toEqual([first, second].map(({ event_id }) => `verified webhook.test ${event_id}`));

      await expectJudged(async ({ id, timestamp, signature, body }) => {
        const answer = await fetch(`http://127.0.0.1:${port}/webhooks`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'webhook-id': id,
            'webhook-timestamp': timestamp,
            'webhook-signature': signature,
          },
          body,
        });
        expect([204, 400]).toContain(answer.status);
        return answer.status === 204;
      }, secret);
      const tooLong = await fetch(`http://127.0.0.1:${port}/webhooks`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: 'x'.repeat(2 ** 21),
      }).then(
        ({ status }) => status,
        () => 'cut',
      );
      expect([400, 413, 'cut']).toContain(tooLong);
    },
  );
});

describeShell.each(['sh', 'bash'])('WH-07: verify.sh in %s', (shell) => {
  const judgeWith =
    (secret: string): Judge =>
    async ({ id, timestamp, signature, body }) => {
      const child = spawn(shell, ['verify.sh', id, timestamp, signature], {
        cwd: folder,
        env: { PATH: process.env['PATH'], WEBHOOK_SECRET: secret },
        stdio: ['pipe', 'ignore', 'ignore'],
      });
      // A request that is refused before its body is read.
      child.stdin.on('error', () => undefined).end(body);
      return new Promise((resolve) => child.once('exit', (code) => resolve(code === 0)));
    };

  it('verifies real deliveries, also once the secret is rotated, and refuses everything else', async () => {
    const target = await Receiver.start();
    stops.push(() => void target.stop());
    const { id, secret } = await createEndpoint(target.url);
    await testEvent(id);
    await walk(['rotate'], { ENDPOINT_ID: id });
    await testEvent(id);
    const sent = target.requests.map(({ headers, body }) => ({
      id: headers['webhook-id'] as string,
      timestamp: headers['webhook-timestamp'] as string,
      signature: headers['webhook-signature'] as string,
      body,
    }));
    expect(sent.map(({ signature }) => signature.split(' ').length)).toEqual([1, 2]);
    for (const request of sent) expect(await judgeWith(secret)(request)).toBe(true);
    await expectJudged(judgeWith(secret), secret);
  });
});

describe('the document', () => {
  it('shows the headers that are really sent', async () => {
    const target = await Receiver.start();
    stops.push(() => void target.stop());
    const { id } = await createEndpoint(target.url);
    await testEvent(id);
    const [, block = ''] = /^```http\nPOST .*\n((?:.+\n)+)/m.exec(await readFile(DOCUMENT, 'utf8')) ?? [];
    const shown = block
      .trim()
      .split('\n')
      .map((line) => line.split(': ') as [string, string]);
    const { connection: _, ...real } = target.requests[0]!.headers;
    expect(shown.map(([name]) => name).sort()).toEqual(Object.keys(real).sort());
    for (const name of ['content-type', 'accept', 'accept-encoding', 'user-agent'])
      expect({ name, value: Object.fromEntries(shown)[name] }).toEqual({ name, value: real[name] });
  });

  it('its commands redeliver, recover and read the feed', async () => {
    const target = await Receiver.start();
    stops.push(() => void target.stop());
    const { id } = await createEndpoint(target.url);
    const since = new Date().toISOString();
    const feed = async (cursor: string) => JSON.parse(await walk(['feed'], { CURSOR: cursor }));
    let { next_cursor: cursor, has_more: more } = await feed('');
    while (more) ({ next_cursor: cursor, has_more: more } = await feed(cursor));

    target.otherwise = status(500);
    await emit(instance, 2);
    const letters = await eventually('two dead letters', async () => {
      const answer = await instance.server('GET', `/v1/webhooks/dead-letters?endpoint_id=${id}`);
      return answer.body.data.length === 2 && (answer.body.data as Record<string, any>[]);
    });
    target.otherwise = status(204);
    const redelivery = JSON.parse(await walk(['redeliver'], { DELIVERY_ID: letters[0]!['id'] })).data;
    expect(redelivery).toMatchObject({ redelivery_of: letters[0]!['id'], event_id: letters[0]!['event_id'] });
    await eventually('its success', async () => {
      const answer = await instance.server('GET', `/v1/webhooks/deliveries/${redelivery.id}`);
      return answer.body.data.state === 'succeeded';
    });
    const recovery = JSON.parse(await walk(['recover'], { ENDPOINT_ID: id, SINCE: since })).data;
    expect(await finished(instance, recovery.id)).toMatchObject({ progress: { made: 1, succeeded: 1 } });

    const ids = letters.map(({ event_id }) => event_id as string);
    await feedCaughtUp(instance);
    const page = await feed(cursor);
    expect((page.data as { id: string }[]).map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
  });
});
