import { createHash, randomUUID } from 'node:crypto';
import { eventually } from '../support/eventually.js';
import { bearerHeader, TestInstance, PASSWORD, type TestResponse } from '../support/test-instance.js';
import { importLines, StreamingImport, toNdjson } from '../support/ndjson.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.start({ workers: 0 })));
afterAll(async () => instance?.stop());

const createCustomers = (count: number, domain: string): { email: string }[] =>
  Array.from({ length: count }, (_, index) => ({ email: `person-${index}@${domain}` }));
const getImport = (id: string): Promise<TestResponse> =>
  instance.requestWithSecretKey('GET', `/api/v1/imports/${id}`);
it('HD-04: a retry does not take over a list import in progress, however long it takes', async () => {
  const key = randomUUID();
  const hash = createHash('sha256').update(key).digest();
  const send = () =>
    instance.request('POST', '/api/v1/customers/import', {
      body: { customers: [{ email, password: PASSWORD }] },
      headers: { ...bearerHeader(instance.credentials.secretKey), 'idempotency-key': key },
    });
  const email = uniqueEmail();
  await instance.api.runCommand('hold', 'password.before-hash');
  const sent = send();
  await eventually(
    'the hash',
    async () => (await instance.api.runCommand('held', 'password.before-hash')) === 1,
  );
  const claimed = await instance.sql<{ started: string }>(
    `UPDATE idempotency_keys SET started_at = now() - interval '1 hour' WHERE key_hash = $1
       RETURNING started_at::text AS started`,
    [hash],
  );
  expect(claimed).toHaveLength(1);
  await eventually('the renewal of the claim', async () => {
    const renewed = await instance.sql(
      `SELECT 1 FROM idempotency_keys WHERE key_hash = $1 AND answer IS NULL AND started_at > $2::timestamptz`,
      [hash, claimed[0]!.started],
    );
    return renewed.length > 0;
  });
  expect(await send()).toMatchObject({ status: 409, body: { code: 'idempotency_in_progress' } });
  await instance.api.runCommand('release', 'password.before-hash');
  expect(await sent).toMatchObject({ status: 200, body: { created: 1, skipped: 0 } });
});

it.each(['SIGKILL', 'SIGTERM'] as const)(
  'an import interrupted by %s resumes after the last committed line',
  async (signal) => {
    const [importId, domain] = [randomUUID(), `${randomUUID()}.example`];
    const lines = createCustomers(620, domain);
    const stream = new StreamingImport(instance, { importId });
    stream.send(toNdjson(lines.slice(0, 600)));
    await eventually('a batch', async () => (await getImport(importId)).body.lastLine === 500);
    const stopped = instance.api.stop(signal);
    if (signal === 'SIGTERM') {
      const isStopped = () =>
        fetch(`${instance.baseUrl}/livez`).then(
          () => false,
          () => true,
        );
      await eventually('the import to stop', isStopped);
      stream.send(toNdjson(lines.slice(600)));
      expect(await stream.finish()).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    }
    await stopped;
    instance.startApi();
    await instance.waitUntilReady();
    // After a SIGKILL, an import counts as interrupted once nothing has been written for three minutes.
    const backdate = `UPDATE imports SET updated_at = now() - interval '3 minutes' WHERE id = $1`;
    if (signal === 'SIGKILL') await instance.sql(backdate, [importId]);
    expect((await getImport(importId)).body).toMatchObject({ state: 'interrupted', lastLine: 500 });
    const { body } = await importLines(instance, toNdjson(lines), { importId });
    expect(body).toMatchObject({ state: 'completed', created: 620, skipped: 0, lastLine: 620 });
    const stored = await instance.sql('SELECT 1 FROM customers WHERE email LIKE $1', [`%@${domain}`]);
    expect(stored).toHaveLength(620);
  },
);

it('an import reserves memory until it is processed, even after its client disconnects', async () => {
  const heldBytes = (): Promise<number> => instance.api.runCommand('request-memory');
  await eventually('the end of earlier requests', async () => (await heldBytes()) === 0);
  await instance.api.runCommand('hold', 'password.before-hash');
  const text = 'x'.repeat(7_000);
  const customers = Array.from({ length: 20 }, () => ({
    email: uniqueEmail(),
    password: PASSWORD,
    metadata: { text },
  }));
  const client = new AbortController();
  const sent = fetch(`${instance.baseUrl}/api/v1/customers/import`, {
    method: 'POST',
    headers: { ...bearerHeader(instance.credentials.secretKey), 'content-type': 'application/json' },
    body: JSON.stringify({
      customers: [customers[0], ...customers.slice(1).map(({ password: _, ...rest }) => rest)],
    }),
    signal: client.signal,
  }).catch(() => null);
  const isHeld = async (): Promise<boolean> => (await heldBytes()) > 4 * 20 * 7_000;
  await eventually('the import', isHeld);
  client.abort();
  expect(await sent).toBeNull();
  await eventually('the end of the connection', () =>
    instance.api.log.some(({ route, status }) => route === '/api/v1/customers/import' && status === 499),
  );
  expect(await isHeld()).toBe(true);
  await instance.api.runCommand('release', 'password.before-hash');
  await eventually('the release of the memory', async () => (await heldBytes()) === 0);
});
