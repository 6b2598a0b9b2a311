import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { splitWords } from '../../../../test/support/split-words.js';
import { ConfigError } from './config-error.js';
import { loadConfig } from './config.js';
import { settings } from './settings.js';
import { splitHosts } from './split-hosts.js';

const secret = 'k3v9-Qw7xZ1pLm5TnB8yRc2fHs6dJg4aUoE0i';
const base = { GATEHOUSE_SECRET: secret };
const noHosts = { findAddresses: () => [] };
const metricsToken = randomBytes(32).toString('hex');
const stripeKey = `sk_test_${randomBytes(12).toString('hex')}`;

const production = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://auth.example.com',
  DATABASE_URL: 'postgres://gatehouse:Vq8-hTz2@db.example.com/gatehouse',
  GATEHOUSE_SECRET: secret,
  SMTP_URL: 'smtps://mailer:Xw3-kLp9@mail.example.com',
  MAIL_FROM: 'Gatehouse <no-reply@example.com>',
};

const problemsIn = (environment: Record<string, string | undefined>): string[] => {
  try {
    loadConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
};

describe('loadConfig', () => {
  it('returns the defaults of the contract', () => {
    expect(loadConfig(base, noHosts)).toMatchObject({
      production: false,
      publicUrl: 'http://127.0.0.1:3000',
      dataDir: resolve('.data'),
      rootSecrets: [secret],
      signingKeys: { maxAge: 90 * 86_400_000, reloadInterval: 60_000 },
      migrate: true,
      seed: false,
      firstOperator: null,
      logLevel: 'info',
      http: { host: '127.0.0.1', port: 3000, trustedProxies: [], rateLimits: true },
      database: { url: null, migrateUrl: null, readUrl: null, pooler: 'none', pool: 10 },
      redis: null,
      mail: { smtpUrl: null, requireTls: false, from: { name: 'Gatehouse', address: 'no-reply@localhost' } },
      webhooks: {
        retrySchedule: [0, 15_000, 60_000, 300_000, 1_800_000],
        timeout: 10_000,
        lease: 30_000,
        allowedCidrs: [],
        dnsServers: [],
      },
      metrics: { port: null, token: null },
      alerts: {
        webhookUrl: null,
        email: null,
        interval: 10_000,
        overdueAfter: 30_000,
        pause: 900_000,
        reminder: 86_400_000,
        retry: 60_000,
      },
      audit: { retention: 365 * 86_400_000, ipMode: 'full' },
      passwords: { cost: 10, queueWait: 4_000 },
      billing: { stripeKey: null, stripeApiBase: 'https://api.stripe.com' },
      docs: true,
      console: true,
      failpoints: [],
      warnings: [],
    });
  });

  it('turns on production checks only with NODE_ENV=production', () => {
    expect(loadConfig(production).production).toBe(true);
    for (const NODE_ENV of ['Production', 'prod', 'staging', 'test', '']) {
      expect(loadConfig({ ...base, NODE_ENV }).production).toBe(false);
    }
  });

  it('treats an empty or blank setting as unset', () => {
    expect(loadConfig({ ...base, PORT: '', HOST: '   ', REDIS_URL: '\n' })).toMatchObject({
      redis: null,
      http: { host: '127.0.0.1', port: 3000 },
    });
  });

  it('parses every setting', () => {
    const all = {
      ...base,
      HOST: '0.0.0.0',
      PORT: '8080',
      PUBLIC_URL: 'https://auth.example.com/base///',
      DATA_DIR: '/var/lib/gatehouse',
      DATABASE_URL: 'postgresql://db/gatehouse',
      MIGRATE_DATABASE_URL: 'postgresql://owner@db/gatehouse',
      DATABASE_READ_URL: 'postgresql://replica/gatehouse',
      DATABASE_POOLER: 'transaction',
      DATABASE_POOL: '25',
      REDIS_URL: 'rediss://redis:6380',
      SIGNING_KEY_MAX_AGE: '30d',
      MIGRATE: 'off',
      SEED: 'on',
      OPERATOR_EMAIL: 'Ops@EXAMPLE.com',
      OPERATOR_PASSWORD: 'an unusual long phrase',
      SMTP_URL: 'smtp://mail:587',
      MAIL_FROM: 'Shop <Post@example.com>',
      WEBHOOK_RETRY_SCHEDULE: '0s, 1s, 2s, 3s, 4s',
      WEBHOOK_TIMEOUT: '20s',
      WEBHOOK_CONCURRENCY: '7',
      WEBHOOK_ALLOWED_CIDRS: '10.0.0.0/8, fd00::/8',
      WEBHOOK_DNS_SERVERS: '9.9.9.9,9.9.9.9:5353,2620:fe::fe,[2620:fe::fe]:5353',
      WEBHOOK_RETENTION: '7d',
      BCRYPT_COST: '12',
      HASH_THREADS: '3',
      HASH_QUEUE_WAIT: '1500ms',
      RATE_LIMITS: 'off',
      TRUSTED_PROXIES: '10.1.0.0/16',
      STRIPE_SECRET_KEY: stripeKey,
      STRIPE_API_BASE: 'http://127.0.0.1:12111/',
      DOCS: 'off',
      CONSOLE: 'off',
      METRICS_PORT: '9464',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/',
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      TRUST_TRACEPARENT: 'on',
      METRICS_TOKEN: metricsToken,
      ALERT_WEBHOOK_URL: 'https://hooks.example.com/services/T0?x=1',
      ALERT_EMAIL: 'Operations <ops@example.com>',
      ALERT_SMTP_URL: 'smtps://alerts.example.net',
      LOG_LEVEL: 'debug',
      FAILPOINTS: 'delivery.before-enqueue',
    };
    const config = loadConfig(all, noHosts);
    expect(config).toMatchObject({
      publicUrl: 'https://auth.example.com/base',
      dataDir: '/var/lib/gatehouse',
      signingKeys: { maxAge: 30 * 86_400_000 },
      migrate: false,
      seed: true,
      firstOperator: { email: 'ops@example.com', password: 'an unusual long phrase' },
      logLevel: 'debug',
      http: { host: '0.0.0.0', port: 8080, trustedProxies: ['10.1.0.0/16'], rateLimits: false },
      database: {
        url: 'postgresql://db/gatehouse',
        migrateUrl: 'postgresql://owner@db/gatehouse',
        readUrl: 'postgresql://replica/gatehouse',
        pooler: 'transaction',
        pool: 25,
      },
      redis: { url: 'rediss://redis:6380', sentinels: null, isCluster: false },
      mail: { smtpUrl: 'smtp://mail:587', from: { name: 'Shop', address: 'Post@example.com' } },
      webhooks: {
        retrySchedule: [0, 1_000, 2_000, 3_000, 4_000],
        timeout: 20_000,
        lease: 60_000,
        concurrency: 7,
        allowedCidrs: ['10.0.0.0/8', 'fd00::/8'],
        dnsServers: ['9.9.9.9', '9.9.9.9:5353', '2620:fe::fe', '[2620:fe::fe]:5353'],
        retention: 7 * 86_400_000,
      },
      passwords: { cost: 12, threads: 3, queueWait: 1_500 },
      metrics: { port: 9464, token: metricsToken },
      tracing: { headers: null, sampler: 'traceidratio', samplerRatio: 0.25, trustsCallers: true },
      alerts: { webhookUrl: 'https://hooks.example.com/services/T0?x=1', email: 'ops@example.com' },
      billing: { stripeKey, stripeApiBase: 'http://127.0.0.1:12111' },
      docs: false,
      console: false,
      failpoints: ['delivery.before-enqueue'],
    });
  });

  it('turns off traces without an endpoint or with OTEL_SDK_DISABLED', () => {
    const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:4318';
    expect(loadConfig({ ...base, OTEL_TRACES_SAMPLER: 'always_on' }).tracing).toBeNull();
    expect(loadConfig({ ...base, OTEL_EXPORTER_OTLP_ENDPOINT }).tracing).not.toBeNull();
    const disabled = { ...base, OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'true' };
    expect(loadConfig(disabled).tracing).toBeNull();
  });

  it('puts brackets around an IPv6 host in the public URL, and lists secrets newest first', () => {
    expect(loadConfig({ ...base, HOST: '::1', PORT: '80' }).publicUrl).toBe('http://[::1]:80');
    const newer = 'Zx8cVb5nMq2wEr7tYu1iOp4aSd9fGh6jKl3-0';
    expect(loadConfig({ GATEHOUSE_SECRET: `${newer}, ${secret}` }).rootSecrets).toEqual([newer, secret]);
  });

  it('divides timeout, lease, schedule and reload interval by TIME_SCALE, but not the key age', () => {
    const { webhooks, signingKeys } = loadConfig({ ...base, TIME_SCALE: '100' });
    const schedule = [0, 150, 600, 3_000, 18_000];
    expect(webhooks).toMatchObject({ retrySchedule: schedule, timeout: 100, lease: 300, sweepInterval: 100 });
    expect(signingKeys).toEqual({ maxAge: 90 * 86_400_000, reloadInterval: 600 });
  });

  it('keeps the settling time of rollups above 7 s regardless of TIME_SCALE', () => {
    const settleAt = (TIME_SCALE: string) =>
      loadConfig({ ...base, TIME_SCALE }).webhooks.rollups.settlingTime;
    expect(['1', '2', '5', '100'].map(settleAt)).toEqual([30_000, 15_000, 8_000, 8_000]);
  });

  it('CF-02: generates a missing secret outside production, once', () => {
    const DATA_DIR = mkdtempSync(join(tmpdir(), 'gatehouse-unit-'));
    try {
      const [generated] = loadConfig({ DATA_DIR }).rootSecrets;
      expect(generated).toMatch(/^[\w-]{43}$/);
      expect(loadConfig({ DATA_DIR }).rootSecrets).toEqual([generated]);
    } finally {
      rmSync(DATA_DIR, { recursive: true });
    }
  });
});

describe('configuration errors', () => {
  const invalidValues: Record<string, string[]> = {
    PORT: ['65536', '3000 3000'],
    DATABASE_POOL: ['0'],
    DATABASE_POOLER: ['session'],
    PUBLIC_URL: ['auth.example.com', 'ftp://auth.example.com'],
    DATABASE_URL: [
      'mysql://db',
      'postgres://db-1:5432,db-2:x/gatehouse',
      'postgres://db-1,db-2/gatehouse?target_session_attrs=standby',
    ],
    // The second value requires DATABASE_URL.
    MIGRATE_DATABASE_URL: ['mysql://db', 'postgres://owner@db/gatehouse'],
    DATABASE_READ_URL: ['mysql://db', 'postgres://replica/gatehouse'],
    REDIS_URL: ['redis.example.com:6379', 'redis://cache-1:6379,cache-2:6379'],
    // The last value requires REDIS_URL.
    REDIS_SENTINELS: ['sentinel:26379', 'redis://sentinel-1:26379,sentinel-2:x', 'redis://sentinel-1:26379'],
    REDIS_CLUSTER: ['yes', 'on'],
    SMTP_URL: ['http://mail'],
    MAIL_FROM: ['Gatehouse', 'Gatehouse <no-reply>', 'a@example.com, b@example.com'],
    SIGNING_KEY_MAX_AGE: ['23h', 'never'],
    MIGRATE: ['yes'],
    SEED: ['true'],
    RATE_LIMITS: ['0'],
    WEBHOOK_RETRY_SCHEDULE: ['0s,15s,1m,5m', '0s,15s,1m,5m,30m,1h'],
    WEBHOOK_TIMEOUT: ['0s', '61s'],
    WEBHOOK_CONCURRENCY: ['-1'],
    WEBHOOK_ALLOWED_CIDRS: splitWords('10.0.0.0 10.0.0.0/33 10/8 0x0a.0.0.0/8 fd00::%eth0/32 fd00::/129'),
    SMTP_REQUIRE_TLS: ['no'],
    WEBHOOK_DNS_SERVERS: splitWords(
      'dns.example.com dns.example.com:53 10.0.0.53:0 10.0.0.53:65536 [10.0.0.53',
    ),
    WEBHOOK_RETENTION: ['23h'],
    TRUSTED_PROXIES: splitWords(
      `loopback 10.0.0.1 10/8 10.0.0/24 010.0.0.0/8 0x0a.0.0.0/8 167772160/8 10.0.0.0/255.0.0.0 10.0.0.0/8/8 10.0.0.0/
        10.0.0.0/33 10.0.0.0/-1 10.0.0.0/8.0 10.0.0.0/08 10.0.0.0;10.1.0.0 fe80::1%eth0/64 ::10.0.0.0/104
        ::ffff:10.0.0.0/104 ::1/129 [::1]/128 /8 / 0.0.0.0/0 ::/0 10.0.0.0/0 10.0.0.0/8,0.0.0.0/0`,
    ),
    BCRYPT_COST: ['3', '17'],
    HASH_THREADS: ['0'],
    HASH_QUEUE_WAIT: ['4', '99ms', '6s'],
    STRIPE_SECRET_KEY: [`pk_test_${'a'.repeat(24)}`, `sk_${'a'.repeat(49)}`, 'sk_live_a b'],
    STRIPE_API_BASE: splitWords(
      'api.stripe.com ftp://api.stripe.com https://api.stripe.com/v1 https://u:p@api.stripe.com',
    ),
    METRICS_PORT: ['0', '65535', '3000', 'on'],
    OTEL_EXPORTER_OTLP_ENDPOINT: ['127.0.0.1:4318', 'grpc://127.0.0.1:4317'],
    OTEL_TRACES_SAMPLER: ['jaeger_remote'],
    OTEL_TRACES_SAMPLER_ARG: ['1.1', '-1', 'half'],
    ALERT_WEBHOOK_URL: splitWords('hooks.example.com ftp://hooks.example.com https://u:p@hooks.example.com'),
    ALERT_EMAIL: ['ops', 'ops@example.com'],
    // The last value requires ALERT_EMAIL.
    ALERT_SMTP_URL: ['http://mail', 'smtp://mail'],
    OPERATOR_EMAIL: ['ops', 'ops@example.com'],
    OPERATOR_PASSWORD: ['an unusual long phrase'],
    OPERATOR_OIDC_ISSUER: ['login', 'https://user@login.example.com'],
    OPERATOR_OIDC_ROLES: ['admin', 'root=admins', 'admin=', '*'],
    OPERATOR_OIDC_SCOPES: ['openid email'],
    LOG_LEVEL: ['verbose'],
    TIME_SCALE: ['0'],
    GATEHOUSE_SECRET: ['too-short'],
  };
  it.each(Object.entries(invalidValues))(
    'rejects an invalid %s with an error that contains the name: %j',
    (name, values) => {
      for (const value of values)
        expect([value, problemsIn({ ...base, [name]: value })]).toEqual([
          value,
          [expect.stringMatching(new RegExp(`^${name} `))],
        ]);
    },
  );

  it('CO-01: rejects an OPERATOR_PASSWORD of invalid length, and omits its value from the error', () => {
    for (const password of ['eleven char', 'x'.repeat(129)])
      expect(problemsIn({ ...base, OPERATOR_EMAIL: 'ops@example.com', OPERATOR_PASSWORD: password })).toEqual(
        ['OPERATOR_PASSWORD must have 12 to 128 characters'],
      );
  });

  it('parses the settings of operator single sign-on, and rejects incomplete and insecure ones', () => {
    const oidc = {
      OPERATOR_OIDC_ISSUER: 'https://login.example.com',
      OPERATOR_OIDC_CLIENT_ID: 'gatehouse',
      OPERATOR_OIDC_ROLES: 'admin=staff/admins=1, viewer=*',
    };
    expect(loadConfig({ ...base, ...oidc }).operatorOidc).toEqual({
      issuer: 'https://login.example.com',
      clientId: 'gatehouse',
      clientSecret: null,
      scopes: ['openid', 'email', 'profile'],
      label: 'single sign-on',
      isRequired: false,
      roleClaim: 'groups',
      roles: [
        { role: 'admin', value: 'staff/admins=1' },
        { role: 'viewer', value: '*' },
      ],
      organizationsClaim: null,
    });
    expect(loadConfig(base).operatorOidc).toBeNull();
    expect(problemsIn({ ...base, OPERATOR_OIDC_ISSUER: 'https://login.example.com' })).toEqual([
      'OPERATOR_OIDC_ISSUER requires OPERATOR_OIDC_CLIENT_ID',
      'OPERATOR_OIDC_ISSUER requires OPERATOR_OIDC_ROLES',
    ]);
    expect(problemsIn({ ...base, OPERATOR_OIDC_CLIENT_ID: 'gatehouse' })).toEqual([
      'The settings OPERATOR_OIDC_* require OPERATOR_OIDC_ISSUER',
    ]);
    expect(problemsIn({ ...base, OPERATOR_OIDC_ONLY: 'on' })).toEqual([
      'OPERATOR_OIDC_ONLY requires OPERATOR_OIDC_ISSUER',
    ]);
    expect(problemsIn({ ...base, ...oidc, OPERATOR_OIDC_SCOPES: 'email' })).toEqual([
      'OPERATOR_OIDC_SCOPES must contain openid',
    ]);
    const insecure = { ...oidc, OPERATOR_OIDC_ISSUER: 'http://login.example.com' };
    expect(problemsIn({ ...base, ...insecure })).toEqual([]);
    expect(problemsIn({ ...production, ...insecure })).toEqual([
      'OPERATOR_OIDC_ISSUER must start with https:// in production',
    ]);
  });

  it('rejects contradictory Sentinel and cluster settings', () => {
    const REDIS_SENTINELS = 'redis://sentinel-1:26379,sentinel-2:26379';
    const problems = (REDIS_URL: string, more: object) => problemsIn({ ...base, REDIS_URL, ...more });
    const name = expect.stringMatching(/^REDIS_URL must contain the name of the primary/);
    expect(problems('redis://cache:6379', { REDIS_SENTINELS })).toEqual([name]);
    expect(problems('redis:///1', { REDIS_SENTINELS })).toEqual([name]);
    expect(problems('redis://mymaster', { REDIS_SENTINELS, REDIS_CLUSTER: 'on' })).toEqual([
      'REDIS_SENTINELS must be unset if REDIS_CLUSTER is on',
    ]);
    expect(problems('redis://cache/1', { REDIS_CLUSTER: 'on' })).toEqual([
      'REDIS_URL must use database 0 if REDIS_CLUSTER is on',
    ]);
  });

  it('accepts several hosts for PostgreSQL, Sentinel and a Redis cluster', () => {
    const DATABASE_URL =
      'postgresql://shop:a,b@db-1:5432,[fd00::5]:5433,db-3/gatehouse?target_session_attrs=read-write';
    const sentinel = {
      REDIS_URL: 'redis://shop:secret@My-Master/2',
      REDIS_SENTINELS: 'redis://s-1:26379,s-2:26379',
    };
    expect(loadConfig({ ...base, DATABASE_URL, ...sentinel })).toMatchObject({
      database: { url: DATABASE_URL },
      redis: { url: sentinel.REDIS_URL, sentinels: sentinel.REDIS_SENTINELS, isCluster: false },
    });
    const cluster = 'rediss://cache-1:6379,cache-2:6379';
    expect(loadConfig({ ...base, REDIS_URL: cluster, REDIS_CLUSTER: 'on' }).redis).toEqual({
      url: cluster,
      sentinels: null,
      isCluster: true,
    });
    expect(splitHosts(DATABASE_URL)).toEqual([
      'postgresql://shop:a,b@db-1:5432/gatehouse?target_session_attrs=read-write',
      'postgresql://shop:a,b@[fd00::5]:5433/gatehouse?target_session_attrs=read-write',
      'postgresql://shop:a,b@db-3/gatehouse?target_session_attrs=read-write',
    ]);
  });

  it('lists all errors in one message, with the values of non-secret settings', () => {
    const environment = { PORT: 'x', LOG_LEVEL: 'loud', BCRYPT_COST: '99', GATEHOUSE_SECRET: 'short' };
    expect(() => loadConfig(environment)).toThrow(
      /^The configuration has 4 errors:\n( {2}- (PORT|LOG_LEVEL|BCRYPT_COST|GATEHOUSE_SECRET) .+\n?){4}$/,
    );
    expect(() => loadConfig({ ...base, PORT: 'x' })).toThrow(/^The configuration has an error:\n/);
    const shown = 'PORT must be a whole number from 0 to 65535 (current value: "x\\ny")';
    expect(problemsIn({ ...base, PORT: 'x\ny' })).toEqual([shown]);
  });

  it('CF-01: never contain the value of a secret setting', () => {
    const names =
      'DATABASE_URL MIGRATE_DATABASE_URL DATABASE_READ_URL REDIS_URL REDIS_SENTINELS SMTP_URL GATEHOUSE_SECRET STRIPE_SECRET_KEY ALERT_WEBHOOK_URL ALERT_SMTP_URL';
    for (const name of splitWords(names)) {
      expect(settings[name as keyof typeof settings].secret).toBe(true);
      const problems = problemsIn({ ...base, [name]: 'hunter2-hunter2' });
      expect(problems).toHaveLength(1);
      expect(problems.join()).not.toContain('hunter2');
    }
    const PUBLIC_URL = 'https://admin:hunter2@auth.example.com';
    expect(problemsIn({ ...production, PUBLIC_URL }).join()).not.toContain('hunter2');
  });
});

describe('trusted proxy ranges', () => {
  it('RL-02: must not cover all addresses; the error states the effect', () => {
    expect(problemsIn({ ...base, TRUSTED_PROXIES: '10.0.0.0/8, 0.0.0.0/0' })).toEqual([
      expect.stringMatching(
        /^TRUSTED_PROXIES must not contain 0\.0\.0\.0\/0, because every client could forge/,
      ),
    ]);
  });

  it('may be IPv4 and IPv6 ranges of any length', () => {
    const ranges = '10.0.0.0/1 10.0.0.0/8 10.1.2.3/32 ::1/128 fd00::/8 2001:DB8::/1 ::ffff:a00:0/104';
    for (const range of splitWords(ranges))
      expect(loadConfig({ ...base, TRUSTED_PROXIES: range }).http.trustedProxies).toEqual([range]);
  });
});

describe('secrets in files', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'gatehouse-unit-'))));
  afterAll(() => rmSync(folder, { recursive: true }));
  const write = (content: string | Buffer): string => {
    const path = join(folder, randomBytes(8).toString('hex'));
    writeFileSync(path, content);
    return path;
  };

  const secretTexts: Record<string, string> = {
    PUBLIC_URL: 'https://auth.example.com',
    DATABASE_URL: 'postgres://gatehouse:Vq8-hTz2@db.example.com/gatehouse',
    MIGRATE_DATABASE_URL: 'postgres://owner:Lm4-sXc9@db.example.com/gatehouse',
    DATABASE_READ_URL: 'postgres://gatehouse:Rn3-vJb6@replica.example.com/gatehouse',
    REDIS_URL: 'rediss://:Kd7-wPz4@mymaster',
    REDIS_SENTINELS: 'rediss://:Bn5-tHq2@sentinel.example.com',
    GATEHOUSE_SECRET: secret,
    OPERATOR_PASSWORD: 'an unusual long phrase',
    OPERATOR_OIDC_CLIENT_SECRET: 'Kd8-wQp3',
    SMTP_URL: 'smtps://mailer:Xw3-kLp9@mail.example.com',
    STRIPE_SECRET_KEY: stripeKey,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20Rt5-yUi2',
    ALERT_WEBHOOK_URL: 'https://hooks.example.com/services/T0',
    ALERT_SMTP_URL: 'smtps://alerts:Gd2-wNb7@alerts.example.net',
    METRICS_TOKEN: metricsToken,
  };
  const others = {
    NODE_ENV: 'production',
    MAIL_FROM: 'a@example.com',
    OPERATOR_EMAIL: 'ops@example.com',
    ALERT_EMAIL: 'ops@example.com',
    OPERATOR_OIDC_ISSUER: 'https://login.example.com',
    OPERATOR_OIDC_CLIENT_ID: 'gatehouse',
    OPERATOR_OIDC_ROLES: 'admin=admins',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
  };

  it('SC-03: reads every secret from a file, even in production', () => {
    const secretNames = Object.entries(settings).filter(([, setting]) => setting.secret);
    expect(secretNames.map(([name]) => name).sort()).toEqual(Object.keys(secretTexts).sort());
    for (const ending of ['', '\n', '\r\n']) {
      const files = Object.entries(secretTexts).map(([name, text]) => [`${name}_FILE`, write(text + ending)]);
      const expected = loadConfig({ ...others, ...secretTexts });
      expect(loadConfig({ ...others, ...Object.fromEntries(files) })).toEqual(expected);
    }
  });

  it('removes only a trailing newline and a byte order mark', () => {
    const read = (content: string): string[] =>
      loadConfig({ GATEHOUSE_SECRET_FILE: write(content) }).rootSecrets;
    expect(read(`\ufeff${secret}\n`)).toEqual([secret]);
    const OPERATOR_PASSWORD_FILE = write(' an unusual long phrase \n');
    expect(
      loadConfig({ ...base, OPERATOR_EMAIL: 'ops@example.com', OPERATOR_PASSWORD_FILE }).firstOperator,
    ).toEqual({ email: 'ops@example.com', password: ' an unusual long phrase ' });
  });

  it('treats a blank path as unset, and ignores files for non-secret settings', () => {
    expect(loadConfig({ ...base, REDIS_URL_FILE: '  ', PORT_FILE: '/nowhere' })).toMatchObject({
      redis: null,
      http: { port: 3000 },
    });
    expect(loadConfig({ GATEHOUSE_SECRET: ' ', GATEHOUSE_SECRET_FILE: write(secret) }).rootSecrets).toEqual([
      secret,
    ]);
  });

  it('CF-01: rejects a setting that is set twice, and a missing, empty or multi-line file', () => {
    const hidden = 'hunter2-hunter2-hunter2-hunter2-hunter2';
    mkdirSync(join(folder, 'directory'));
    const cases: [path: string, problem: RegExp, more?: object][] = [
      [write(hidden), /^GATEHOUSE_SECRET_FILE must be unset if GATEHOUSE_SECRET is set$/, base],
      [join(folder, hidden), /^GATEHOUSE_SECRET_FILE cannot be read \(ENOENT\)$/],
      [join(folder, 'directory'), /^GATEHOUSE_SECRET_FILE cannot be read \(EISDIR\)$/],
      [`${hidden}\0`, /^GATEHOUSE_SECRET_FILE cannot be read \(ERR_INVALID_ARG_VALUE\)$/],
      [write(''), /^GATEHOUSE_SECRET_FILE is an empty file$/],
      [write('\n'), /^GATEHOUSE_SECRET_FILE is an empty file$/],
      [write(`${hidden}\n\n`), /^GATEHOUSE_SECRET_FILE must be a file with one line of UTF-8 text$/],
      [write(`${hidden}\0`), /^GATEHOUSE_SECRET_FILE must be a file with one line of UTF-8 text$/],
      [
        write(Buffer.from([0xff, 0xfe, 0x68])),
        /^GATEHOUSE_SECRET_FILE must be a file with one line of UTF-8 text$/,
      ],
      [write(`changeme-${hidden}`), /^GATEHOUSE_SECRET looks like a placeholder/],
    ];
    for (const [path, problem, more] of cases)
      for (const environment of [{}, production]) {
        const given = { ...environment, GATEHOUSE_SECRET: undefined, ...more, GATEHOUSE_SECRET_FILE: path };
        const problems = problemsIn(given);
        expect(problems).toEqual([expect.stringMatching(problem)]);
        expect(problems.join()).not.toContain('hunter2');
      }
  });
});

describe('production', () => {
  const required = splitWords('PUBLIC_URL DATABASE_URL GATEHOUSE_SECRET SMTP_URL MAIL_FROM');

  it('CF-01: requires a complete configuration, and reports each missing setting', () => {
    expect(problemsIn(production)).toEqual([]);
    for (const name of required)
      for (const value of [undefined, '  '])
        expect(problemsIn({ ...production, [name]: value })).toEqual([`${name} is required in production`]);
    expect(problemsIn({ NODE_ENV: 'production' })).toHaveLength(required.length);
  });

  it.each([
    ['short', 'x'.repeat(31)],
    ['a placeholder', `changeme-${secret}`],
    ['not random enough', 'ab'.repeat(32)],
    ['repeated in the ring', `${secret},${secret}`],
  ])('CF-01: rejects a secret that is %s, and omits its value from the error', (_, value) => {
    const problems = problemsIn({ ...production, GATEHOUSE_SECRET: value });
    expect(problems).toEqual([expect.stringMatching(/^GATEHOUSE_SECRET /)]);
    expect(problems[0]).not.toContain(value);
  });

  it.each([
    ['PUBLIC_URL', 'http://auth.example.com'],
    ['STRIPE_API_BASE', 'http://127.0.0.1:12111'],
    ['ALERT_WEBHOOK_URL', 'http://hooks.example.com/'],
    ['SMTP_URL', 'smtp://mailpit:1025'],
    ['SMTP_URL', 'smtp://MailPit'],
    ['MAIL_FROM', 'Gatehouse <no-reply@localhost>'],
    ['WEBHOOK_ALLOWED_CIDRS', '0.0.0.0/0'],
    ['WEBHOOK_ALLOWED_CIDRS', '10.0.0.0/8,172.0.0.0/7'],
    ['WEBHOOK_ALLOWED_CIDRS', '::/0'],
    ['WEBHOOK_ALLOWED_CIDRS', 'fd00::/31'],
    ['BCRYPT_COST', '9'],
    ['RATE_LIMITS', 'off'],
    ['FAILPOINTS', 'delivery.before-enqueue'],
    ['TEST_COMMANDS', 'on'],
    ['PERIODIC_JOBS', 'off'],
    ['TIME_SCALE', '10'],
  ])('CF-03: rejects %s=%s', (name, value) => {
    expect(problemsIn({ ...production, [name]: value })).toEqual([
      expect.stringMatching(new RegExp(`^${name} must .+ in production$`)),
    ]);
  });

  it('EV-05: rejects a PUBLIC_URL that cannot be the base of a link', () => {
    for (const PUBLIC_URL of splitWords(
      'https://u:p@auth.example.com https://auth.example.com/?x=1 https://auth.example.com/#x',
    ))
      expect(problemsIn({ ...production, PUBLIC_URL })).toEqual([expect.stringMatching(/^PUBLIC_URL /)]);
  });

  it.each([
    ['DATABASE_URL', 'postgres://postgres:postgres@db/gatehouse', 'postgres:'],
    ['DATABASE_URL', 'postgres://gatehouse:gatehouse@db/gatehouse', 'gatehouse:'],
    ['DATABASE_URL', 'postgres://gatehouse:password@db/gatehouse', ':password'],
    ['DATABASE_URL', 'postgres://gatehouse:changeme@db/gatehouse', 'changeme'],
    ['DATABASE_URL', 'postgres://app:postgres@db/app', 'postgres:'],
    ['DATABASE_URL', 'postgres://same-as-it:same-as-it@db/app', 'same-as-it'],
    ['DATABASE_URL', 'postgres://app:Chang%65Me@db/app', 'Chang'],
    ['REDIS_URL', 'redis://:redis@cache:6379', ':redis@'],
    ['REDIS_URL', 'rediss://default:ROOT@cache', 'ROOT'],
    ['DATABASE_URL', 'postgres://app:postgres@db-1:5432,db-2:5432/app', 'postgres:'],
    ['SMTP_URL', 'smtp://mailer:secret@mail:587', ':secret@'],
    ['SMTP_URL', 'smtps://admin:admin@mail', 'admin'],
  ])(
    'CF-03: rejects a default password in %s, and omits its value from the error (%#)',
    (name, value, hidden) => {
      const environment = { ...production, [name]: value };
      expect(problemsIn(environment)).toEqual([`${name} contains a default password`]);
      expect(() => loadConfig(environment)).not.toThrow(hidden);
      expect(problemsIn({ ...base, [name]: value })).toEqual([]);
    },
  );

  it.each(['MIGRATE_DATABASE_URL', 'DATABASE_READ_URL'])(
    'CF-03: rejects a default password in %s',
    (name) => {
      const environment = { ...production, [name]: 'postgres://owner:owner@db/app' };
      expect(problemsIn(environment)).toEqual([`${name} contains a default password`]);
    },
  );

  it.each([
    ['DATABASE_URL', 'postgres://gatehouse@db/gatehouse'],
    ['REDIS_URL', 'redis://cache:6379'],
    ['SMTP_URL', 'smtp://mail:587'],
  ])('CF-03: accepts %s without a password, and a password with a percent sign', (name, value) => {
    expect(problemsIn({ ...production, [name]: value })).toEqual([]);
    const [scheme] = value.split(':');
    expect(() => problemsIn({ ...production, [name]: `${scheme}://u:100%25%x@host` })).not.toThrow();
  });

  it('CF-03: accepts a configured range of private webhook targets', () => {
    const { webhooks } = loadConfig({ ...production, WEBHOOK_ALLOWED_CIDRS: '10.1.0.0/16' });
    expect(webhooks.allowedCidrs).toEqual(['10.1.0.0/16']);
  });

  it('OP-06: rejects webhook target ranges that are too wide, but only in production', () => {
    const WEBHOOK_ALLOWED_CIDRS = '10.0.0.0/8, ::/0, fd12:3456::/32, 8.0.0.0/7';
    expect(problemsIn({ ...production, WEBHOOK_ALLOWED_CIDRS })).toEqual([
      'WEBHOOK_ALLOWED_CIDRS must not contain ::/0, which is wider than /32, in production',
      'WEBHOOK_ALLOWED_CIDRS must not contain 8.0.0.0/7, which is wider than /8, in production',
    ]);
    expect(problemsIn({ ...base, WEBHOOK_ALLOWED_CIDRS })).toEqual([]);
  });

  it('OP-04: requires TLS for mail servers on other machines, unless SMTP_REQUIRE_TLS is off', () => {
    const requiresTls = (SMTP_URL: string, more: object = {}) =>
      loadConfig({ ...production, SMTP_URL, ...more }).mail.requireTls;
    const remote = `smtp://mail.example.com SMTP://mail.example.com:25 smtp://10.0.0.5:587 smtp://0.0.0.0 smtp://[::]
      smtp://[::ffff:127.0.0.1] smtp://localhost.example.com smtp://127.0.0.1.example.com smtps://mail.example.com
      smtp://localhost?service=Gmail smtp://127.0.0.1?proxy=http://10.0.0.5 smtp:///?host=mail.example.com smtp://mail`;
    for (const url of splitWords(remote)) expect([url, requiresTls(url)]).toEqual([url, true]);
    for (const url of splitWords(
      'smtp://localhost:25 smtp://127.0.0.1 smtp://127.0.0.2:2525 smtp://[::1]:25',
    ))
      expect([url, requiresTls(url)]).toEqual([url, false]);
    expect(requiresTls('smtp://mail.example.com', { SMTP_REQUIRE_TLS: 'off' })).toBe(false);
    expect(loadConfig({ ...base, SMTP_URL: 'smtp://mail.example.com' }).mail.requireTls).toBe(false);
  });

  it('OP-04: never sends a password over an unencrypted connection to another machine', () => {
    const problems = (SMTP_URL: string) => problemsIn({ ...production, SMTP_URL, SMTP_REQUIRE_TLS: 'off' });
    expect(problems('smtp://mailer:Xw3-kLp9@mail.example.com')).toEqual([
      'SMTP_REQUIRE_TLS must be on in production if SMTP_URL contains a password',
    ]);
    const accepted = `smtp://mail.example.com smtps://mailer:Xw3-kLp9@mail.example.com
      smtp://mailer:Xw3-kLp9@127.0.0.1:25`;
    for (const url of splitWords(accepted)) expect(problems(url)).toEqual([]);
  });

  it('checks ALERT_SMTP_URL like SMTP_URL', () => {
    const problems = (ALERT_SMTP_URL: string, more: object = {}) =>
      problemsIn({ ...production, ALERT_EMAIL: 'ops@example.com', ALERT_SMTP_URL, ...more });
    expect(problems('smtp://mailpit:1025')).toEqual([
      'ALERT_SMTP_URL must not use the development mail server (mailpit) in production',
    ]);
    expect(problems('smtps://admin:admin@alerts')).toEqual(['ALERT_SMTP_URL contains a default password']);
    expect(problems('smtp://u:Xw3-kLp9@alerts.example.net', { SMTP_REQUIRE_TLS: 'off' })).toEqual([
      'SMTP_REQUIRE_TLS must be on in production if ALERT_SMTP_URL contains a password',
    ]);
  });

  it('sends alerts over SMTP_URL by default, and detects a separate server in ALERT_SMTP_URL', () => {
    const alertServer = (ALERT_SMTP_URL: string, SMTP_URL = 'smtp://mail.example.com') =>
      loadConfig({ ...production, SMTP_URL, ALERT_EMAIL: 'ops@example.com', ALERT_SMTP_URL }).alerts
        .mailServer;
    expect(alertServer('')).toEqual({
      setting: 'SMTP_URL',
      smtpUrl: 'smtp://mail.example.com',
      requireTls: true,
      isSeparate: false,
    });
    expect(alertServer('smtp://alerts.example.net')).toEqual({
      setting: 'ALERT_SMTP_URL',
      smtpUrl: 'smtp://alerts.example.net',
      requireTls: true,
      isSeparate: true,
    });
    const isSeparate = (url: string, smtpUrl?: string) => alertServer(url, smtpUrl)!.isSeparate;
    for (const url of splitWords(
      'smtp://MAIL.example.com:587 smtp://u:Xw3-kLp9@mail.example.com smtp:///?host=mail.example.com',
    ))
      expect([url, isSeparate(url)]).toEqual([url, false]);
    for (const url of splitWords('smtp://mail.example.com:2525 smtps://mail.example.com smtp://127.0.0.1'))
      expect([url, isSeparate(url)]).toEqual([url, true]);
    expect(loadConfig({ ...base, ALERT_EMAIL: 'ops@example.com', ALERT_SMTP_URL: 'smtp://a' })).toMatchObject(
      { mail: { smtpUrl: null }, alerts: { mailServer: { isSeparate: true } } },
    );
    expect(loadConfig(base).alerts.mailServer).toBeNull();
  });

  it('OP-04: warns about unencrypted connections to other machines', () => {
    const listWarnings = (environment: object) =>
      loadConfig({
        ...production,
        DATABASE_URL: 'postgres://127.0.0.1/gatehouse',
        ...environment,
      }).warnings.filter((warning) => warning !== 'node_outdated');
    const expectWarning = (name: string, urls: string, warnings: string[], more: object = {}) => {
      for (const url of splitWords(urls))
        expect([url, listWarnings({ [name]: url, ...more })]).toEqual([url, warnings]);
    };
    expect(listWarnings({})).toEqual([]);
    expectWarning('REDIS_URL', 'redis://cache redis://10.0.0.5:6379 redis://:Kd7-wPz4@[fd00::5]', [
      'redis_unencrypted',
    ]);
    expectWarning('REDIS_SENTINELS', 'redis://localhost,sentinel:26379', ['redis_unencrypted'], {
      REDIS_URL: 'rediss://mymaster',
    });
    expectWarning('REDIS_URL', 'rediss://cache redis://localhost redis://127.0.0.1:6379 redis://[::1]', []);
    expectWarning(
      'DATABASE_URL',
      `postgres://db/gatehouse postgresql://u:p@10.0.0.5/x postgres://db/x?sslmode=disable postgres://db/x?ssl=0
        postgres://db/x?sslmode= postgres://localhost/x?host=db postgres:///x?host=10.0.0.5
        postgres://db/x?sslmode=disable&sslrootcert=ca.pem`,
      ['database_unencrypted'],
    );
    expectWarning(
      'DATABASE_URL',
      `postgres://db/x?sslmode=verify-full postgres://db/x?sslmode=require postgres://db/x?ssl=true postgres://db/x?ssl=1
        postgres://db/x?sslrootcert=ca.pem postgres://db/x?sslnegotiation=direct postgres://localhost/x
        postgres://db/x?host=/var/run/postgresql postgres://%2Fvar%2Frun%2Fpostgresql/x postgres:///x`,
      [],
    );
    expectWarning('DATABASE_URL', 'postgres://db/x', [], { PGSSLMODE: 'verify-full' });
    expectWarning('DATABASE_URL', 'postgres:///x', ['database_unencrypted'], { PGHOST: 'db' });
    for (const name of ['MIGRATE_DATABASE_URL', 'DATABASE_READ_URL'])
      expectWarning('DATABASE_URL', 'postgres://db/x?sslmode=verify-full', ['database_unencrypted'], {
        [name]: 'postgres://owner:Zt4-hQw8@db/x',
      });
    expectWarning('SMTP_URL', 'smtp://mail.example.com', ['smtp_unencrypted'], { SMTP_REQUIRE_TLS: 'off' });
    expectWarning('SMTP_URL', 'smtps://mail.example.com smtp://127.0.0.1', [], { SMTP_REQUIRE_TLS: 'off' });
    expectWarning('SMTP_URL', 'smtps://mail.example.com?tls.rejectUnauthorized=false', [
      'smtp_certificate_unverified',
    ]);
    const alerts = { ALERT_EMAIL: 'ops@example.com', SMTP_REQUIRE_TLS: 'off' };
    expectWarning('ALERT_SMTP_URL', 'smtp://alerts.example.net', ['smtp_unencrypted'], alerts);
    expectWarning(
      'ALERT_SMTP_URL',
      'smtps://alerts.example.net?tls.rejectUnauthorized=false',
      ['smtp_certificate_unverified'],
      alerts,
    );
    const remote = { DATABASE_URL: 'postgres://db/x', REDIS_URL: 'redis://cache', SMTP_URL: 'smtp://mail' };
    expect(loadConfig({ ...base, ...remote }).warnings).toEqual([]);
  });
});
