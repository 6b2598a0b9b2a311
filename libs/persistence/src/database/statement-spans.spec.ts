import type pg from 'pg';
import { startTracing, tracing, type Config, type Logger } from '@gatehouse/platform';
import { OtlpReceiver } from '../../../../test/support/otlp-receiver.js';
import { poolOptions } from './data-source.js';
import { traceStatement, withCurrentTrace } from './statement-spans.js';

const server = { host: 'localhost', port: 5432, database: 'gatehouse' };
const request = { name: 'GET', kind: 'SERVER' } as const;

let otlp: OtlpReceiver;
beforeAll(async () => {
  otlp = await OtlpReceiver.start();
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = otlp.url;
  const config = { headers: null, sampler: 'always_on', samplerRatio: 1, trustsCallers: false } as const;
  await startTracing(config, 'test', () => undefined);
});
afterAll(() => otlp.stop());

it('records statement spans in the trace, and names each one after the first table it changes or reads', async () => {
  const statements = {
    'SELECT customers': 'SELECT c.id FROM "customers" c JOIN projects p ON true FOR NO KEY UPDATE',
    'UPDATE deliveries': `WITH picked AS (SELECT id FROM unnest($1::uuid[]) AS row (id) FOR UPDATE OF d)
      UPDATE deliveries SET attempt = 1`,
    'INSERT mails': 'INSERT INTO mails (id) VALUES ($1)',
    'DELETE sessions': 'WITH old AS (SELECT 1 FROM customers) DELETE FROM sessions',
    SELECT: 'SELECT * FROM json_to_recordset($1)',
    COMMIT: 'COMMIT',
  };
  const failure = Object.assign(new Error('Key (email)=(secret) already exists'), { code: '23505' });
  let traceId = '';
  await tracing!.run(request, async () => {
    traceId = tracing!.logFields.trace_id!;
    for (const text of Object.values(statements)) await traceStatement(server, [text], async () => undefined);
    await traceStatement(server, ['SELECT 1 FROM failed'], () => Promise.reject(failure)).catch(
      () => undefined,
    );
    const query = withCurrentTrace({ text: 'SELECT 1 FROM pooled WHERE id = $1', values: ['secret'] });
    // The pool sends a statement when another request releases a connection, while that request's trace is active.
    const sendLater = async () =>
      traceStatement(server, [query, undefined, () => undefined], (args) => (args.at(-1) as () => void)());
    await tracing!.run({ ...request, name: 'POST' }, sendLater, null);
    const named = withCurrentTrace({ name: 'unnamed', text: 'SELECT 1 FROM unnamed' });
    await tracing!.run({ ...request, name: 'POST' }, () => sendWithoutName(named), null);
  });
  await tracing!.shutdown();
  const names = otlp.listByTrace(traceId).map(({ name }) => name);
  expect(names).toEqual([
    ...Object.keys(statements),
    'SELECT failed',
    'SELECT pooled',
    'SELECT unnamed',
    'GET',
  ]);
  expect(otlp.spans.find(({ name }) => name === 'SELECT failed')).toMatchObject({
    isError: true,
    attributes: { 'error.type': '23505', 'db.system.name': 'postgresql', 'server.port': 5432 },
  });
  expect(JSON.stringify(otlp.spans)).not.toContain('secret');
});

/** Sends a prepared statement on a closed connection for poolers in transaction mode. */
async function sendWithoutName(query: pg.QueryConfig): Promise<void> {
  const config = { database: { url: 'postgres://127.0.0.1/shop', pool: 1, pooler: 'transaction' } } as Config;
  const { extra } = poolOptions(config, {} as Logger) as { extra: { Client: new () => pg.Client } };
  const client = new extra.Client();
  await client.end();
  await expect(client.query(query)).rejects.toThrow('Client was closed');
}
