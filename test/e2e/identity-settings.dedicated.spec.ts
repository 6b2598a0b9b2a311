import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NEW_PASSWORD, withSettings } from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import { insertOperator } from '../support/operator-client.js';
import { TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

/** A stand-in for the breached password service. Tests set its response. */
class BreachList {
  readonly paths: string[] = [];
  response: 'breached' | 'clean' | 'error' | 'silence' = 'clean';
  constructor(readonly breached: string) {}
  private server: Server | undefined;

  async start(): Promise<string> {
    const hash = createHash('sha1').update(this.breached).digest('hex').toUpperCase();
    this.server = createServer((request, response) => {
      this.paths.push(request.url!);
      if (this.response === 'error') response.writeHead(500).end();
      else if (this.response !== 'silence') {
        const lines = [
          `${'0'.repeat(35)}:3`,
          ...(this.response === 'breached' ? [`${hash.slice(5)}:42`] : []),
        ];
        response.end(lines.join('\r\n'));
      }
    }).listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server?.closeAllConnections();
    this.server?.close();
  }
}

const breachList = new BreachList(NEW_PASSWORD);
let instance: TestInstance;
beforeAll(async () => {
  instance = await TestInstance.start({
    workers: 0,
    env: {
      BREACH_LIST_URL: await breachList.start(),
      // Hashes are slow and use one thread, so a few hashes fill the queue.
      HASH_THREADS: '1',
      HASH_QUEUE_WAIT: '1s',
      BCRYPT_COST: '12',
      SMTP_URL: 'smtp://127.0.0.1:9',
    },
  });
});
afterAll(async () => {
  await instance?.stop();
  breachList.stop();
});

it('the mailbox returns 404 if SMTP_URL is set', async () => {
  const notFound = { status: 404, body: { code: 'not_found' } };
  expect(await instance.requestWithSecretKey('GET', '/api/v1/mailbox')).toMatchObject(notFound);
  const operator = await insertOperator(instance, 'operator');
  for (const path of ['/mailbox', '/mailbox/count'])
    expect(await operator.request('GET', path)).toMatchObject(notFound);
});

it('PW-05: a breach check sends a five-digit hash prefix, and fails open', async () => {
  const register = () => instance.register(uniqueEmail(), { password: NEW_PASSWORD });
  breachList.response = 'breached';
  expect((await register()).status).toBe(201);
  expect(breachList.paths).toEqual([]);
  await withSettings(instance, { breachCheck: true }, async () => {
    const rejected = { code: 'weak_password', reasons: ['breached'] };
    expect(await register()).toMatchObject({ status: 422, body: rejected });
    expect(breachList.paths).toEqual([expect.stringMatching(/^\/range\/[0-9A-F]{5}$/)]);
    breachList.response = 'clean';
    expect((await register()).status).toBe(201);
    for (const response of ['error', 'silence'] as const) {
      breachList.response = response;
      instance.api.clearLog();
      expect((await register()).status).toBe(201);
      const message = 'breached password lookup failed';
      const line = await eventually('the log line', () =>
        instance.api.log.findLast((each) => each.message === message),
      );
      expect(line['failed']).toBeGreaterThan(0);
    }
  });
});

it('logins that an overloaded hash queue rejects are not counted', async () => {
  const email = uniqueEmail();
  await instance.register(email);
  await instance.api.runCommand('hold', 'password.before-hash');
  const attempt = () => instance.login(email, 'wrong password');
  const first = attempt();
  await eventually(
    'the hash',
    async () => (await instance.api.runCommand('held', 'password.before-hash')) === 1,
  );
  const others = Array.from({ length: 30 }, attempt);
  // The queue is blocked, so only rejected requests have received a response.
  const rejected = await Promise.race(others);
  expect(rejected).toMatchObject({ status: 503, body: { code: 'overloaded' } });
  expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
  await instance.api.runCommand('release', 'password.before-hash');
  const statuses = (await Promise.all([first, ...others])).map(({ status }) => status);
  expect(statuses.filter((status) => ![401, 503].includes(status))).toEqual([]);
  const [row] = await instance.sql('SELECT sum(tries)::int AS attempts FROM login_attempts');
  expect(row!['attempts']).toBe(statuses.filter((status) => status === 401).length);
});
