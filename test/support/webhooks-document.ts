import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { shellBlock } from './code-blocks.js';
import { DocumentFolder } from './document-folder.js';
import { eventually } from './eventually.js';
import { freePort } from './server-process.mjs';
import type { TestInstance } from './test-instance.js';

const DOCUMENT = 'docs/webhooks.md';

export interface SignedRequest {
  id: string;
  timestamp: string;
  signature: string;
  body: string;
}

/** Returns true if an example accepts a request. */
export type Verifier = (request: SignedRequest) => Promise<boolean>;

/** The examples and commands from docs/webhooks.md, in a folder like a reader's. */
export class WebhooksDocument {
  private constructor(
    private readonly instance: TestInstance,
    private readonly files: DocumentFolder,
  ) {}

  static async open(instance: TestInstance): Promise<WebhooksDocument> {
    return new WebhooksDocument(instance, await DocumentFolder.create(DOCUMENT));
  }

  get folder(): string {
    return this.files.path;
  }

  /** Stops the examples and removes the folder. */
  close(): Promise<void> {
    return this.files.close();
  }

  /** Runs document shell blocks in one shell. @returns their output */
  async runBlocks(blocks: string[], env: Record<string, string> = {}): Promise<string> {
    const script = await Promise.all(['settings', ...blocks].map((name) => shellBlock(DOCUMENT, name)));
    const { stdout } = await promisify(execFile)('sh', ['-euc', script.join('\n')], {
      cwd: this.folder,
      env: {
        PATH: process.env['PATH'],
        GATEHOUSE_URL: this.instance.baseUrl,
        GATEHOUSE_SECRET_KEY: this.instance.credentials.projectSecretKey,
        CURSOR: '',
        ...env,
      },
    });
    return stdout;
  }

  async createEndpoint(url: string): Promise<{ id: string; secret: string }> {
    return JSON.parse(await this.runBlocks(['create'], { TARGET_URL: url })).data as {
      id: string;
      secret: string;
    };
  }

  /** Sends a test event. @returns its delivery once it has ended */
  async sendTestEvent(endpointId: string): Promise<Record<string, any>> {
    const { data } = JSON.parse(await this.runBlocks(['test'], { ENDPOINT_ID: endpointId }));
    return eventually('the delivery to finish', async () => {
      const response = await this.instance.requestWithSecretKey('GET', `/v1/webhooks/deliveries/${data.id}`);
      return response.body.data.state !== 'pending' && (response.body.data as Record<string, any>);
    });
  }

  /** Starts an example and expects it to accept only genuine deliveries, including those after a secret rotation. */
  async expectExampleVerifies(command: string[]): Promise<void> {
    const port = await freePort();
    const { id, secret } = await this.createEndpoint(`http://127.0.0.1:${port}/webhooks`);
    const server = await this.files.start(command, `http://127.0.0.1:${port}/webhooks`, {
      WEBHOOK_SECRET: secret,
      PORT: String(port),
    });

    const first = await this.sendTestEvent(id);
    expect(first).toMatchObject({ state: 'succeeded', attempts: [{ http_status: 204, error: null }] });
    const rotated = JSON.parse(await this.runBlocks(['rotate'], { ENDPOINT_ID: id })).data.secret as string;
    expect(rotated).not.toBe(secret);
    const second = await this.sendTestEvent(id);
    expect(second).toMatchObject({ state: 'succeeded', attempts: [{ http_status: 204 }] });
    const verified = await eventually('both log lines of the example', () => {
      const lines = server.output.split('\n').filter((line) => line.startsWith('verified'));
      return lines.length >= 2 && lines;
    });
    expect(verified).toEqual([first, second].map(({ event_id }) => `verified webhook.test ${event_id}`));

    await expectVerifies(async ({ id, timestamp, signature, body }) => {
      const response = await fetch(`http://127.0.0.1:${port}/webhooks`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'webhook-id': id,
          'webhook-timestamp': timestamp,
          'webhook-signature': signature,
        },
        body,
      });
      expect([204, 400]).toContain(response.status);
      return response.status === 204;
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
  }
}

function sign(
  secret: string,
  { age = 0, ...overrides }: Partial<SignedRequest> & { age?: number } = {},
): SignedRequest {
  const {
    id = `evt_${randomUUID()}`,
    body = '{"id":"evt_1","type":"webhook.test","data":{"name":"Zoë 🚪"}}',
  } = overrides;
  const at = new Date(Date.now() - age * 1_000);
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  return { id, timestamp, body, signature: new Webhook(secret).sign(id, at, body), ...overrides };
}

/** Returns genuine requests and forged requests. */
function verificationCases(secret: string): {
  genuine: Record<string, SignedRequest>;
  forged: Record<string, SignedRequest>;
} {
  const other = `whsec_${randomBytes(32).toString('base64')}`;
  const sample = sign(secret);
  const foreignSignature = sign(other).signature;
  const value = sample.signature.slice(3);
  return {
    genuine: {
      'as sent': sample,
      'during a secret rotation': { ...sample, signature: `${foreignSignature} ${sample.signature}` },
      'with a later signature version': { ...sample, signature: `v1a,abc ${sample.signature} v2,` },
      'four minutes old': sign(secret, { age: 240 }),
      'from a clock that is ahead': sign(secret, { age: -240 }),
    },
    forged: {
      'another body': { ...sample, body: sample.body.replace('Zoë', 'Zoe') },
      'another id': { ...sample, id: 'evt_2' },
      'another timestamp': { ...sample, timestamp: String(Number(sample.timestamp) - 1) },
      'another secret': sign(other),
      'six minutes old': sign(secret, { age: 360 }),
      'six minutes ahead': sign(secret, { age: -360 }),
      'no signature': { ...sample, signature: '' },
      'no id': { ...sign(secret, { id: '' }), id: '' },
      'no timestamp': { ...sample, timestamp: '' },
      'a timestamp that is not a number': { ...sample, timestamp: 'now' },
      'a timestamp of 40 digits': { ...sample, timestamp: '9'.repeat(40) },
      'an empty signature': { ...sample, signature: 'v1,' },
      'a truncated signature': { ...sample, signature: sample.signature.slice(0, -8) },
      'a signature with extra characters': { ...sample, signature: `${sample.signature}AAAA` },
      'no version': { ...sample, signature: value },
      'another version': { ...sample, signature: `v2,${value}` },
      'a signature that is not base64': { ...sample, signature: 'v1,é*?$(id)' },
    },
  };
}

/** Expects genuine requests to be accepted and forged ones to be rejected. */
export async function expectVerifies(verify: Verifier, secret: string): Promise<void> {
  const { genuine, forged } = verificationCases(secret);
  const failures: string[] = [];
  for (const [kind, request] of Object.entries(genuine))
    if (!(await verify(request))) failures.push(`rejected: ${kind}`);
  for (const [kind, request] of Object.entries(forged))
    if (await verify(request)) failures.push(`accepted: ${kind}`);
  expect(failures).toEqual([]);
}
