import { spawn, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { emitEvents, waitForRedelivery, FAST_RETRIES } from '../support/dead-letters.js';
import { eventually } from '../support/eventually.js';
import { waitForFeed } from '../support/wait-for-feed.js';
import { TestInstance } from '../support/test-instance.js';
import { Receiver, respondWithStatus } from '../support/receiver.js';
import { expectVerifies, WebhooksDocument, type Verifier } from '../support/webhooks-document.js';

const DOCUMENT = 'docs/webhooks.md';

/** Commands that start the examples. The compiled Go example is in webhooks-docs.nightly.spec.ts. */
const receivers: [string, string[]][] = [
  ['Node', [process.execPath, 'receiver.mjs']],
  ['Express', [process.execPath, 'receiver-express.mjs']],
  ['Python', ['python3', 'receiver.py']],
];
const missing = [
  ['Python', 'python3', '--version'],
  ['shell', 'openssl', 'version'],
].flatMap(([language, ...tool]) => (spawnSync(tool[0]!, tool.slice(1)).error ? [language!] : []));
if (missing.length > 0) {
  process.stderr.write(`${DOCUMENT} is not fully tested. Not installed: ${missing.join(', ')}.\n`);
}
const describeShell = missing.includes('shell') ? describe.skip : describe;

let instance: TestInstance;
let document: WebhooksDocument;
const targets: Receiver[] = [];
beforeAll(async () => {
  instance = await TestInstance.startShared({ workerEnv: { ...FAST_RETRIES } });
  document = await WebhooksDocument.open(instance);
});
afterAll(async () => {
  await document?.close();
  await Promise.all(targets.map((target) => target.stop()));
  await instance?.stop();
});

describe.each(receivers)('WH-07: the receiver in %s', (language, command) => {
  (missing.includes(language) ? it.skip : it)(
    'accepts real deliveries, even after the secret is rotated, and rejects other requests',
    () => document.expectExampleVerifies(command),
  );
});

describeShell.each(['sh', 'bash'])('WH-07: verify.sh in %s', (shell) => {
  const verifyWith =
    (secret: string): Verifier =>
    async ({ id, timestamp, signature, body }) => {
      const child = spawn(shell, ['verify.sh', id, timestamp, signature], {
        cwd: document.folder,
        env: { PATH: process.env['PATH'], WEBHOOK_SECRET: secret },
        stdio: ['pipe', 'ignore', 'ignore'],
      });
      // The script may reject a request before it has read the body.
      child.stdin.on('error', () => undefined).end(body);
      return new Promise((resolve) => child.once('exit', (code) => resolve(code === 0)));
    };

  it('accepts real deliveries, even after the secret is rotated, and rejects other requests', async () => {
    const target = await Receiver.start();
    targets.push(target);
    const { id, secret } = await document.createEndpoint(target.url);
    await document.sendTestEvent(id);
    await document.runBlocks(['rotate'], { ENDPOINT_ID: id });
    await document.sendTestEvent(id);
    const sent = target.requests.map(({ headers, body }) => ({
      id: headers['webhook-id'] as string,
      timestamp: headers['webhook-timestamp'] as string,
      signature: headers['webhook-signature'] as string,
      body,
    }));
    expect(sent.map(({ signature }) => signature.split(' ').length)).toEqual([1, 2]);
    for (const request of sent) expect(await verifyWith(secret)(request)).toBe(true);
    await expectVerifies(verifyWith(secret), secret);
  });
});

describe('the webhooks document', () => {
  it('lists the headers of a real delivery', async () => {
    const target = await Receiver.start();
    targets.push(target);
    const { id } = await document.createEndpoint(target.url);
    await document.sendTestEvent(id);
    const [, block = ''] = /^```http\nPOST .*\n((?:.+\n)+)/m.exec(await readFile(DOCUMENT, 'utf8')) ?? [];
    const documentedHeaders = block
      .trim()
      .split('\n')
      .map((line) => line.split(': ') as [string, string]);
    const { connection: _, ...sentHeaders } = target.requests[0]!.headers;
    expect(documentedHeaders.map(([name]) => name).sort()).toEqual(Object.keys(sentHeaders).sort());
    for (const name of ['content-type', 'accept', 'accept-encoding', 'user-agent'])
      expect({ name, value: Object.fromEntries(documentedHeaders)[name] }).toEqual({
        name,
        value: sentHeaders[name],
      });
  });

  it('contains commands that redeliver, recover and read the feed', async () => {
    const target = await Receiver.start();
    targets.push(target);
    const { id } = await document.createEndpoint(target.url);
    const since = new Date().toISOString();
    const feed = async (cursor: string) => JSON.parse(await document.runBlocks(['feed'], { CURSOR: cursor }));
    let { next_cursor: cursor, has_more: hasMore } = await feed('');
    while (hasMore) ({ next_cursor: cursor, has_more: hasMore } = await feed(cursor));

    target.defaultResponder = respondWithStatus(500);
    await emitEvents(instance, 2);
    const deadLetters = await eventually('two dead letters', async () => {
      const response = await instance.requestWithSecretKey(
        'GET',
        `/v1/webhooks/dead-letters?endpoint_id=${id}`,
      );
      return response.body.data.length === 2 && (response.body.data as Record<string, any>[]);
    });
    target.defaultResponder = respondWithStatus(204);
    const redelivery = JSON.parse(
      await document.runBlocks(['redeliver'], { DELIVERY_ID: deadLetters[0]!['id'] }),
    ).data;
    expect(redelivery).toMatchObject({
      redelivery_of: deadLetters[0]!['id'],
      event_id: deadLetters[0]!['event_id'],
    });
    await eventually('the success of the redelivery', async () => {
      const response = await instance.requestWithSecretKey('GET', `/v1/webhooks/deliveries/${redelivery.id}`);
      return response.body.data.state === 'succeeded';
    });
    const recovery = JSON.parse(
      await document.runBlocks(['recover'], { ENDPOINT_ID: id, SINCE: since }),
    ).data;
    expect(await waitForRedelivery(instance, recovery.id)).toMatchObject({
      progress: { made: 1, succeeded: 1 },
    });

    const ids = deadLetters.map(({ event_id }) => event_id as string);
    await waitForFeed(instance);
    const page = await feed(cursor);
    expect((page.data as { id: string }[]).map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
  });

  it('contains a command that creates one custom event, even if it runs twice', async () => {
    const send = async () => JSON.parse(await document.runBlocks(['send'], { ORDER_ID: 'ord_7' })).data;
    const event = await send();
    expect(event).toMatchObject({
      type: 'app.order.paid',
      data: { order: { id: 'ord_7', total: 49.9 } },
    });
    expect(await send()).toEqual(event);
  });
});
