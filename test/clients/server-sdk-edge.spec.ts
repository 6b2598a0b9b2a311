import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { EdgeVM } from '@edge-runtime/vm';
import type * as Sdk from '@gatehouse/server';
import { Webhook } from 'standardwebhooks';
import { registerCustomer } from '../support/customers.js';
import { TestInstance } from '../support/test-instance.js';

let instance: TestInstance;
/** The package in a runtime with the Web APIs, but without the Node.js APIs. */
let sdk: typeof Sdk;
let edge: EdgeVM;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  edge = new EdgeVM();
  // A timer in this runtime would keep the test process alive.
  edge.evaluate('AbortSignal.timeout = () => new AbortController().signal');
  edge.evaluate(await bundle());
  sdk = edge.evaluate('bundled');
});
afterAll(async () => instance?.stop());

/** Returns the package and its dependencies as one script. */
async function bundle(): Promise<string> {
  const args = ['test/support/bundle-package.mjs', 'packages/server/dist/index.js'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 16 * 1024 * 1024 });
  return stdout;
}

it('@gatehouse/server verifies access tokens in an edge runtime', async () => {
  const { id, tokens } = await registerCustomer(instance);
  expect(edge.evaluate('typeof process + typeof Buffer + typeof require')).toBe('undefined'.repeat(3));
  const { projectId } = instance.credentials;
  const { verifyAccessToken } = sdk.createServer({ url: instance.baseUrl, projectId });
  expect((await verifyAccessToken(tokens.accessToken)).sub).toBe(id);
  const [head, claims] = tokens.accessToken.split('.');
  const rejected = verifyAccessToken(`${head}.${claims}.${'A'.repeat(86)}`);
  await expect(rejected).rejects.toMatchObject({ code: 'invalid_access_token' });
});

it('@gatehouse/server receives webhooks and manages customers in an edge runtime', async () => {
  const webhookSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const { projectId, projectSecretKey: secretKey } = instance.credentials;
  const gatehouse = sdk.createServer({
    url: instance.baseUrl,
    projectId,
    secretKey,
    webhookSecret,
  });
  const { id } = await registerCustomer(instance);
  expect((await gatehouse.customers.disable(id)).disabledAt).toBeTruthy();

  const handled: string[] = [];
  const handler = gatehouse.webhook({ 'customer.deleted': ({ data }) => handled.push(data.customer.id) });
  const body = JSON.stringify({ id: 'evt_1', type: 'customer.deleted', data: { customer: { id } } });
  const at = new Date();
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(webhookSecret).sign('evt_1', at, body),
  };
  const respondTo = async (text: string): Promise<number> => {
    const init = { method: 'POST', body: text, headers };
    const request: unknown = new edge.context.Request('https://example.com/hooks', init);
    return (await handler(request as Request)).status;
  };
  expect([await respondTo(body), await respondTo(`${body} `)]).toEqual([204, 400]);
  expect(handled).toEqual([id]);
});
