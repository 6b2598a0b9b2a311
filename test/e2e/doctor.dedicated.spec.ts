import { randomBytes, randomUUID } from 'node:crypto';
import { runChecks } from '../../apps/api/src/doctor/doctor.js';
import type { CheckResult } from '../../apps/api/src/doctor/check-result.js';
import { adminUrl, createDatabase, dropDatabase, RUNTIME_ROLE } from '../support/databases.mjs';
import { MAIL_PASSWORD, MailServer } from '../support/mail-server.js';
import { hasRedisServer, RedisServer } from '../support/redis-server.js';
import { runGatehouse } from '../support/run-gatehouse.js';
import { runInChunks } from '../support/run-in-chunks.js';
import { freePort } from '../support/server-process.mjs';
import { TestInstance } from '../support/test-instance.js';

type Environment = Record<string, string>;

let instance: TestInstance;
let mailServer: MailServer;
/** The instance's settings, changed to production values. */
let production: Environment;
let closedPort: number;
beforeAll(async () => {
  closedPort = await freePort();
  mailServer = new MailServer();
  [instance] = await Promise.all([TestInstance.startShared({ workers: 0 }), mailServer.start()]);
  production = {
    ...instance.env,
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://auth.example.com',
    SMTP_URL: mailServer.url,
    MAIL_FROM: 'Shop <no-reply@example.com>',
    TRUSTED_PROXIES: '10.1.0.0/16',
    RATE_LIMITS: 'on',
    BCRYPT_COST: '10',
    ...{ TEST_COMMANDS: '', PERIODIC_JOBS: '', TIME_SCALE: '', FAILPOINTS: '' },
  };
});
afterAll(async () => {
  await instance?.stop();
  await mailServer?.stop();
});

const insertWorker = () =>
  instance.sql(`INSERT INTO workers (id, host, version, in_flight) VALUES ($1, 'test', '0.0.0', 0)`, [
    randomUUID(),
  ]);

/** Returns the results for a production installation with a worker and these changes. */
const check = async (changes: Environment = {}): Promise<CheckResult[]> =>
  runChecks({ ...production, ...changes });

const withPassword = (url: string, password: string): string =>
  Object.assign(new URL(url), { password }).href;

describe("the server's doctor command", () => {
  beforeAll(insertWorker);

  it('reports only the settings of the test database in a working production installation', async () => {
    // The Node.js version depends on the machine.
    const results = (await check()).filter(({ message }) => !message.includes('version of Node.js'));
    expect(results.filter(({ status }) => status === 'error' || status === 'warning')).toEqual([
      {
        check: 'database',
        status: 'error',
        message: expect.stringMatching(
          /^A crash of the database server can lose or damage data: .*fsync.* off$/,
        ),
        fix: 'Turn on these PostgreSQL settings.',
      },
    ]);
    expect(results.map((result) => result.check)).toEqual(
      expect.arrayContaining([
        ...['clock', 'migrations', 'root secret', 'worker', 'webhooks', 'emails', 'redis', 'mail server'],
      ]),
    );
    // It connects to the mail server without sending an email.
    expect(mailServer.mails).toEqual([]);
  });

  it('reports the cause and the fix of each broken part, and no secret', async () => {
    const secrets = [
      MAIL_PASSWORD,
      ...Array.from({ length: 3 }, () => randomBytes(24).toString('base64url')),
    ];
    const [wrongSecret, wrongPassword, redisPassword] = secrets.slice(1) as [string, string, string];
    const { DATABASE_URL: databaseUrl } = production as { DATABASE_URL: string };
    const rootSecret = `${wrongSecret}${wrongPassword}`;
    const closed = `127.0.0.1:${closedPort}`;
    const cases: [changes: Environment, check: string, message: RegExp, fix: RegExp][] = [
      [
        { PUBLIC_URL: 'http://auth.example.com' },
        'settings',
        /^PUBLIC_URL must start with https:\/\/ in production$/,
        /^Correct PUBLIC_URL, and restart/,
      ],
      [
        { DATABASE_URL: `postgres://gatehouse:${wrongPassword}@${closed}/gatehouse` },
        'database',
        new RegExp(`^PostgreSQL does not accept connections at ${closed} \\(ECONNREFUSED\\)$`),
        /^Start PostgreSQL, or correct the host and the port in DATABASE_URL\.$/,
      ],
      [
        { DATABASE_URL: withPassword(databaseUrl, wrongPassword), MIGRATE_DATABASE_URL: '' },
        'database',
        /rejects the user or the password$/,
        /in DATABASE_URL\.$/,
      ],
      [
        { MIGRATE_DATABASE_URL: databaseUrl },
        'database owner',
        /^The role gatehouse_\w+ of MIGRATE_DATABASE_URL does not own the tables$/,
        /owner\.$/,
      ],
      [
        { DATABASE_URL: adminUrl(databaseUrl) },
        'database',
        /^The role \w+ is a superuser$/,
        /without superuser/,
      ],
      [
        { DATABASE_READ_URL: `postgres://gatehouse:${wrongPassword}@${closed}/gatehouse` },
        'replica',
        /ECONNREFUSED/,
        /in DATABASE_READ_URL\.$/,
      ],
      [
        { GATEHOUSE_SECRET: rootSecret },
        'root secret',
        /^GATEHOUSE_SECRET cannot decrypt/,
        /"Replace a lost root secret"\.$/,
      ],
      [
        { REDIS_URL: `redis://:${redisPassword}@${closed}` },
        'redis',
        new RegExp(`^Redis does not accept connections at ${closed}`),
        /^Start Redis, or correct the host and the port in REDIS_URL\.$/,
      ],
      [
        { SMTP_URL: `smtp://${closed}` },
        'mail server',
        new RegExp(`^The mail server does not accept connections at ${closed}`),
        /in SMTP_URL\.$/,
      ],
      [
        { SMTP_URL: mailServer.remoteUrl },
        'mail server',
        /^The mail server does not support STARTTLS/,
        /^Use smtps:\/\/ in SMTP_URL/,
      ],
      [
        { ALERT_EMAIL: 'ops@example.com', ALERT_SMTP_URL: `smtp://${closed}` },
        'alert server',
        new RegExp(`^The mail server does not accept connections at ${closed}`),
        /in ALERT_SMTP_URL\.$/,
      ],
      [
        { ALERT_EMAIL: 'ops@example.com', ALERT_SMTP_URL: mailServer.remoteUrl },
        'alert server',
        /^The mail server does not support STARTTLS/,
        /^Use smtps:\/\/ in ALERT_SMTP_URL/,
      ],
      [
        { ALERT_EMAIL: 'ops@example.com' },
        'alerts',
        /^Alerts use the same mail server as all other emails/,
        /^Set ALERT_WEBHOOK_URL, or ALERT_SMTP_URL/,
      ],
      [
        { OPERATOR_EMAIL: 'ada@example.com', OPERATOR_PASSWORD: `${wrongPassword}-1` },
        'operators',
        /^OPERATOR_PASSWORD is set/,
        /^Remove OPERATOR_EMAIL/,
      ],
      [
        { TRUSTED_PROXIES: '' },
        'settings',
        /^TRUSTED_PROXIES is not set/,
        /address ranges of your proxies\.$/,
      ],
      [
        { WEBHOOK_ALLOWED_CIDRS: '10.0.0.0/8' },
        'settings',
        /addresses in 10\.0\.0\.0\/8$/,
        /^Remove the ranges/,
      ],
      [{ NODE_ENV: '' }, 'settings', /^NODE_ENV is not production/, /^Set NODE_ENV=production/],
    ];
    const hidden = [...secrets, production['GATEHOUSE_SECRET']!];
    const findProblem = async ([changes, name, message, fix]: (typeof cases)[number]) => {
      const results = await check(changes);
      const isFound = results.some(
        (result) => result.check === name && message.test(result.message) && fix.test(result.fix ?? ''),
      );
      const hasNoSecret = hidden.every((secret) => !JSON.stringify(results).includes(secret));
      return isFound && hasNoSecret ? [] : [[changes, results]];
    };
    expect(await runInChunks(cases, findProblem, 3)).toEqual([]);
  });

  it('reports emails that could not be sent while the mail server accepted none', async () => {
    await instance.sql(
      `INSERT INTO mails (id, kind, recipient, state, reason, response, finished_at)
       VALUES (gen_random_uuid(), 'test', 'ada@example.com', 'failed', 'expired', 'ECONNREFUSED', now())`,
    );
    try {
      expect(await check()).toContainEqual({
        check: 'emails',
        status: 'error',
        message: 'Emails that failed or are waiting while the mail server accepts none: 1',
        fix: expect.stringContaining('"Restore email delivery"'),
      });
    } finally {
      await instance.sql('DELETE FROM mails');
    }
  });

  it('EV-06: lists stored host names whose normalized form has changed, and changes none', async () => {
    const { organizationId, projectId } = instance.credentials;
    // An invalid label, the capital letter ẞ, a name in its current form, and a name with an ASCII host.
    const addresses = [
      'ada@xn--a.example',
      'ben@xn--strae-301b.example',
      'eve@xn--bcher-kva.example',
      'xn--a@x.example',
    ];
    const ids = addresses.map(() => randomUUID());
    const settings = {
      allowedOrigins: ['https://*.xn--0.example', 'https://xn--bcher-kva.example'],
      redirectUrls: ['https://app.example.com/xn--a'],
      branding: { displayName: 'xn--a' },
    };
    const stored = async () => [
      ...(await instance.sql('SELECT id, email FROM customers ORDER BY email')),
      ...(await instance.sql('SELECT id, settings FROM projects ORDER BY id')),
      ...(await instance.sql('SELECT id, billing_return_origins FROM organizations ORDER BY id')),
    ];
    await instance.sql(
      `INSERT INTO customers (id, organization_id, project_id, email)
       SELECT id, $3, $4, email FROM unnest($1::uuid[], $2::text[]) AS t (id, email)`,
      [ids, addresses, organizationId, projectId],
    );
    await instance.sql('UPDATE projects SET settings = settings || $2 WHERE id = $1', [projectId, settings]);
    await instance.sql('UPDATE organizations SET billing_return_origins = $2 WHERE id = $1', [
      organizationId,
      ['https://xn--zzzzzz99999.example:8443'],
    ]);
    try {
      const before = await stored();
      const found = (await check()).filter((each) => each.check === 'host names');
      expect(found.map(({ status, message }) => [status, message])).toEqual(
        expect.arrayContaining([
          ['warning', `Customer ${ids[0]}: the host xn--a.example is no longer valid`],
          ['warning', `Customer ${ids[1]}: the host xn--strae-301b.example is now xn--strae-oqa.example`],
          ['warning', `Project ${projectId}: the host xn--0.example is no longer valid`],
          ['warning', `Organization ${organizationId}: the host xn--zzzzzz99999.example is no longer valid`],
        ]),
      );
      expect(found).toHaveLength(4);
      expect(found[0]!.fix).toContain('"Replace a host name that is no longer valid"');
      expect(await stored()).toEqual(before);
    } finally {
      await instance.sql('DELETE FROM customers WHERE id = ANY ($1)', [ids]);
      await instance.sql(`UPDATE projects SET settings = '{}' WHERE id = $1`, [projectId]);
      await instance.sql(`UPDATE organizations SET billing_return_origins = '{}' WHERE id = $1`, [
        organizationId,
      ]);
    }
  });

  it('reports a role setting that breaks statements', async () => {
    const role = `ALTER ROLE ${RUNTIME_ROLE} IN DATABASE ${new URL(instance.env['DATABASE_URL']!).pathname.slice(1)}`;
    await instance.sql(`${role} SET session_replication_role = replica`);
    try {
      expect(await check()).toContainEqual({
        check: 'database settings',
        status: 'error',
        message:
          'A session does not have the setting that Gatehouse requires: session_replication_role is "replica" instead of "origin"',
        fix: expect.stringContaining('ALTER ROLE … RESET'),
      });
    } finally {
      await instance.sql(`${role} RESET session_replication_role`);
    }
  });

  it('reports pending migrations of an empty database, and creates nothing in it', async () => {
    const name = `doctor_${randomBytes(8).toString('hex')}`;
    const { url, ownerUrl } = await createDatabase(name, 'template0');
    try {
      const changes = { DATABASE_URL: url, MIGRATE_DATABASE_URL: ownerUrl, MIGRATE: 'off' };
      expect(await check(changes)).toContainEqual({
        check: 'migrations',
        status: 'error',
        message: expect.stringMatching(/^\d+ migrations are pending, and MIGRATE is off$/),
        fix: 'Run npm run gatehouse -- migrate.',
      });
      expect(await check({ ...changes, MIGRATE: 'on' })).toContainEqual(
        expect.objectContaining({ check: 'migrations', status: 'warning' }),
      );
    } finally {
      await dropDatabase(name);
    }
  });

  (hasRedisServer ? it : it.skip)(
    'reports a Redis server that can remove jobs, and one that rejects writes',
    async () => {
      const redis = await RedisServer.start({ settings: { 'maxmemory-policy': 'allkeys-lru' } });
      try {
        const find = async () =>
          (await check({ REDIS_URL: redis.url })).filter((each) => each.check === 'redis');
        expect(await find()).toEqual([
          expect.objectContaining({ status: 'warning', fix: 'Set maxmemory-policy to noeviction.' }),
        ]);
        await redis.command(`REPLICAOF 127.0.0.1 ${closedPort}`);
        expect(await find()).toEqual([
          expect.objectContaining({
            status: 'error',
            message: expect.stringContaining('Redis is read-only'),
          }),
        ]);
      } finally {
        await redis.remove();
      }
    },
  );
});

it('the doctor command prints the cause and fix of a missing worker, and exits with 1', async () => {
  await instance.sql('DELETE FROM workers');
  const error = await runGatehouse(instance, ['doctor']).catch((cause: unknown) => cause);
  expect(error).toMatchObject({ code: 1, stderr: '' });
  const { stdout } = error as { stdout: string };
  expect(stdout).toMatch(
    /^✗ worker +No webhook-worker is running: webhooks and emails are waiting\n +Fix: Start the webhook-worker, .+$/m,
  );
  expect(stdout).toMatch(/^! mail server +SMTP_URL is not set: emails are captured and not sent$/m);
  expect(stdout).toMatch(/\n1 error, \d+ warnings\.\n$/);
});
