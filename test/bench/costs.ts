import { expectStatus, openSession, registerCustomer } from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import { BenchInstance } from './bench-instance.js';
import { Child } from './child.js';
import { DatabaseProxy, type Traffic } from './database-proxy.js';
import { UsageMeter } from './process-usage.js';
import { printProgress, type SectionResult } from './report.js';
import { prepareTracking, readBackends, readStatements, resetStatements, setTracking } from './statements.js';

const WARM_UP = 50;
const OPERATIONS = 200;
const CUSTOMERS = 5;

interface Operation {
  name: string;
  run: () => Promise<void>;
  /** Waits for the worker to finish. */
  settle?: (count: number) => Promise<void>;
}

/** Measures the cost of single operations, one after the other: statements, round trips, bytes and CPU time. */
export async function measureCosts({ samples = OPERATIONS }: { samples?: number }): Promise<SectionResult> {
  await setTracking(true);
  const proxies: DatabaseProxy[] = [];
  const proxyTo = async (url: string): Promise<DatabaseProxy> => {
    const proxy = await DatabaseProxy.start(url);
    proxies.push(proxy);
    return proxy;
  };
  const receiver = new Child('receiver');
  let workerUrl = '';
  const bench = await BenchInstance.start(
    { env: { RATE_LIMITS: 'off', BCRYPT_COST: '10' } },
    async (instance) => {
      const direct = instance.env['DATABASE_URL']!;
      workerUrl = await prepareTracking((text) => instance.sql(text), direct);
      instance.env['DATABASE_URL'] = (await proxyTo(direct)).url.href;
    },
  );
  try {
    const worker = await proxyTo(workerUrl);
    bench.startWorker({ DATABASE_URL: worker.url.href });
    const rows: string[][] = [];
    for (const operation of await prepareOperations(bench, receiver)) {
      printProgress(operation.name);
      for (let count = 0; count < WARM_UP; count += 1) await operation.run();
      await operation.settle?.(WARM_UP);
      rows.push(...(await measure(bench, proxies, operation, samples)));
    }
    return {
      table: [
        [
          'Operation',
          'Program',
          'statements',
          'round trips',
          'sent',
          'received',
          'CPU',
          'PostgreSQL CPU',
          'WAL',
        ],
        ...rows,
      ],
      notes: [
        `Mean per operation, over ${samples} sequential runs. Statements include those that begin and end transactions.`,
        'Bytes between the program and PostgreSQL. CPU in ms, at BCRYPT_COST=10 for a login.',
      ],
      targets: [],
    };
  } finally {
    await Promise.all([receiver.stop(), bench.stop()]);
    for (const proxy of proxies) proxy.stop();
  }
}

async function measure(
  bench: BenchInstance,
  [apiProxy, workerProxy]: DatabaseProxy[],
  { name, run, settle }: Operation,
  samples: number,
): Promise<string[][]> {
  const { instance } = bench;
  const sql = instance.sql.bind(instance);
  const readWal = async (): Promise<number> =>
    Number((await sql<{ lsn: string }>(`SELECT pg_current_wal_insert_lsn() - '0/0' AS lsn`))[0]!.lsn);
  const backends = await readBackends(sql);
  const wal = await readWal();
  await resetStatements(sql);
  apiProxy!.take();
  workerProxy!.take();
  const meter = new UsageMeter({
    api: bench.pids('api'),
    worker: bench.pids('worker'),
    'PostgreSQL (api)': backends.api,
    'PostgreSQL (worker)': backends.worker,
  });
  for (let count = 0; count < samples; count += 1) await run();
  await settle?.(samples);
  const usage = meter.measure();
  const traffic = { api: apiProxy!.take(), worker: workerProxy!.take() };
  const statements = await readStatements(sql);
  const walBytes = (await readWal()) - wal;
  return (settle ? (['api', 'worker'] as const) : (['api'] as const)).map((program) => {
    const calls = statements
      .filter((each) => each.program === program)
      .reduce((sum, each) => sum + each.calls, 0);
    const { roundTrips, sentBytes, receivedBytes }: Traffic = traffic[program];
    return [
      name,
      program,
      (calls / samples).toFixed(1),
      (roundTrips / samples).toFixed(1),
      formatBytes(sentBytes / samples),
      formatBytes(receivedBytes / samples),
      formatMs(usage[program].cpuSeconds / samples),
      formatMs(usage[`PostgreSQL (${program})`].cpuSeconds / samples),
      program === 'api' ? formatBytes(walBytes / samples) : '',
    ];
  });
}

const formatBytes = (bytes: number): string => `${Math.round(bytes)} B`;
const formatMs = (seconds: number): string => `${(seconds * 1000).toFixed(2)} ms`;

async function prepareOperations({ instance }: BenchInstance, receiver: Child): Promise<Operation[]> {
  // Several customers, because a customer's 101st login would also end a session.
  const emails = await Promise.all(
    Array.from({ length: CUSTOMERS }, async () => (await registerCustomer(instance)).email),
  );
  let { accessToken, refreshToken } = await openSession(instance, emails[0]!);
  await instance.createEndpoint(await receiver.call<string>('listen'), ['app.*']);
  let logins = 0;
  let deliveries = 0;
  return [
    {
      name: 'login',
      run: async () => {
        logins += 1;
        expectStatus(200, await instance.login(emails[logins % CUSTOMERS]!));
      },
    },
    {
      name: 'refresh',
      run: async () => {
        const { body } = expectStatus(
          200,
          await instance.request('POST', '/api/v1/auth/refresh', { body: { refreshToken } }),
        );
        ({ accessToken, refreshToken } = body.tokens);
      },
    },
    {
      name: '/me',
      run: async () => {
        expectStatus(200, await instance.requestWithAccessToken(accessToken, 'GET', '/api/v1/me'));
      },
    },
    {
      name: 'custom event and its delivery',
      run: async () => {
        const event = { type: 'app.order.paid', data: { order: 'o_1', total: 1200 } };
        expectStatus(201, await instance.requestWithSecretKey('POST', '/v1/events', event));
      },
      settle: async (count) => {
        deliveries += count;
        await eventually('all deliveries', async () => (await receiver.call<number>('count')) >= deliveries);
        await eventually('all outcomes', async () => {
          const pending = await instance.sql(`SELECT FROM deliveries WHERE state = 'pending' LIMIT 1`);
          return pending.length === 0;
        });
      },
    },
  ];
}
