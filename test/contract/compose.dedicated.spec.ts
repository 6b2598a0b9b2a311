import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import pg from 'pg';
import { loadConfig, settings } from '#platform';
import { readCompose } from '../support/compose.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/server-process.mjs';
import { hasRedisServer } from '../support/redis-server.js';

const run = promisify(execFile);
const SECRETS = ['POSTGRES_PASSWORD', 'DATABASE_PASSWORD', 'REDIS_PASSWORD', 'ROOT_SECRET'];
const PROGRAMS = ['api', 'webhook-worker'] as const;

/** A folder that stands in for the repository, and make-env.sh in its place. */
let folder: string;
let env: Record<string, string | undefined>;
const makeEnv = () => run('sh', [join(folder, 'ops/compose/make-env.sh')], { cwd: tmpdir() });
const envFile = () => readFile(join(folder, '.env'), 'utf8');
const mode = async () => (await stat(join(folder, '.env'))).mode & 0o777;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-compose-'));
  await mkdir(join(folder, 'ops/compose'), { recursive: true });
  await copyFile('ops/compose/make-env.sh', join(folder, 'ops/compose/make-env.sh'));
  await makeEnv();
  env = parseEnv(await envFile());
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const programs = (more: Record<string, string> = {}) => {
  const { services } = readCompose({ ...env, ...more });
  return PROGRAMS.map((name) => services[name]!);
};

describe('make-env.sh', () => {
  it('CF-05: makes every secret at random, for its owner alone', async () => {
    expect(Object.keys(env).sort()).toEqual([...SECRETS].sort());
    for (const name of SECRETS) expect(env[name]).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(Object.values(env)).size).toBe(SECRETS.length);
    expect(await mode()).toBe(0o600);
  });

  it('CF-05: a file that everybody could read is read by its owner alone once secrets are in it', async () => {
    await chmod(join(folder, '.env'), 0o644);
    await makeEnv();
    expect(await mode()).toBe(0o600);
  });

  it('run again it keeps what is there, and adds what is missing', async () => {
    const before = await envFile();
    await makeEnv();
    expect(await envFile()).toBe(before);
    const others = `LOG_LEVEL=debug\nREDIS_PASSWORD=${env['REDIS_PASSWORD']}`;
    await writeFile(join(folder, '.env'), others);
    await makeEnv();
    expect((await envFile()).startsWith(`${others}\n`)).toBe(true);
    expect(Object.keys(parseEnv(await envFile())).sort()).toEqual([...SECRETS, 'LOG_LEVEL'].sort());
    await writeFile(join(folder, '.env'), before);
  });

  it('what it writes is nothing that npm start would read', () => {
    expect(SECRETS.filter((name) => Object.hasOwn(settings, name))).toEqual([]);
  });
});

describe('docker-compose.yml', () => {
  it('CF-05: has no secret of its own: without .env it says what to do', () => {
    for (const name of SECRETS) {
      const lacking = { ...env, [name]: undefined };
      expect(() => readCompose(lacking)).toThrow(`${name}: run sh ops/compose/make-env.sh first`);
    }
  });

  it('CF-05: publishes the api and nothing else, on this machine alone', () => {
    const { services, networks } = readCompose(env);
    const published = Object.entries(services).filter(([, { ports }]) => ports);
    expect(published.map(([name, { ports }]) => [name, ports])).toEqual([['api', ['127.0.0.1:3000:3000']]]);
    for (const [name, service] of Object.entries(services)) {
      expect({ name, networks: service.networks }).toEqual({
        name,
        networks: (PROGRAMS as readonly string[]).includes(name) ? ['inside', 'outside'] : ['inside'],
      });
    }
    expect(networks['inside']).toEqual({ internal: true });
  });

  it('SC-04: every service is without root, capabilities and a writable file system', async () => {
    const { services } = readCompose(env);
    expect(Object.keys(services)).toEqual(['api', 'webhook-worker', 'postgres', 'redis', 'mailpit']);
    const dockerfile = await readFile('Dockerfile', 'utf8');
    for (const [name, service] of Object.entries(services)) {
      const user = service.user ?? (service.build ? /^USER (.+)$/m.exec(dockerfile)?.[1] : undefined);
      expect({ name, user }).toEqual({ name, user: expect.stringMatching(/^(?!0|root)\w+/) });
      expect({ name, ...service }).toMatchObject({
        name,
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        tmpfs: expect.arrayContaining(['/tmp']),
      });
      expect(service.privileged).toBeUndefined();
    }
  });

  it('names every image by its version, and checks the health of every service', async () => {
    const { services } = readCompose(env);
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
    for (const [name, { image, build, healthcheck }] of Object.entries(services)) {
      expect({ name, image }).toEqual({ name, image: expect.stringMatching(/:v?\d+\.\d+[\w.-]*$/) });
      if (build) expect({ name, image }).toEqual({ name, image: `gatehouse:${version}` });
      expect({ name, test: healthcheck?.test[0] }).toEqual({ name, test: expect.stringMatching(/^CMD/) });
    }
  });

  it('lets the worker be scaled, and a process stop in its own time', () => {
    const { services } = readCompose(env);
    expect(services['webhook-worker']).not.toHaveProperty('ports');
    for (const service of Object.values(services)) expect(service).not.toHaveProperty('container_name');
    // libs/platform/src/process.ts gives up after 15 s.
    for (const { stop_grace_period } of programs()) expect(parseInt(stop_grace_period!)).toBeGreaterThan(15);
  });

  it('mounts files and uses volumes, networks and services that are there', () => {
    const { services, networks, volumes } = readCompose(env);
    for (const service of Object.values(services)) {
      for (const volume of service.volumes ?? []) {
        const [source = ''] = volume.split(':');
        expect({ source, found: source.startsWith('.') ? existsSync(source) : source in volumes }).toEqual({
          source,
          found: true,
        });
      }
      for (const network of service.networks) expect(Object.keys(networks)).toContain(network);
      for (const name of service.depends_on ?? []) expect(Object.keys(services)).toContain(name);
    }
  });

  it('sets nothing that is no setting, and all of it as text', () => {
    for (const { environment = {} } of programs()) {
      expect(Object.keys(environment).filter((name) => !Object.hasOwn(settings, name))).toEqual([]);
      for (const [name, value] of Object.entries(environment))
        expect({ name, type: typeof value }).toEqual({ name, type: 'string' });
    }
  });

  it('both programs take their configuration, as it stands and for production', () => {
    const production = {
      NODE_ENV: 'production',
      PUBLIC_URL: 'https://auth.example.com',
      SMTP_URL: 'smtps://mailer:Xw3-kLp9@mail.example.com',
      MAIL_FROM: 'Shop <no-reply@example.com>',
      TRUSTED_PROXIES: '10.1.0.0/16',
      ALERT_EMAIL: 'ops@example.com',
      WEBHOOK_ALLOWED_CIDRS: '10.2.0.0/16',
    };
    const configs = (more: Record<string, string>) =>
      programs(more).map(({ environment }) => loadConfig(environment));
    for (const config of configs({})) {
      expect(config).toMatchObject({ production: false, publicUrl: 'http://127.0.0.1:3000' });
      expect(config.rootSecrets).toEqual([env['ROOT_SECRET']]);
      expect(new URL(config.redisUrl!)).toMatchObject({ hostname: 'redis', password: env['REDIS_PASSWORD'] });
    }
    const [api, worker] = configs(production);
    expect(api).toMatchObject({
      production: true,
      publicUrl: 'https://auth.example.com',
      http: { trustedProxies: ['10.1.0.0/16'] },
    });
    expect(worker).toMatchObject({ production: true, alerts: { email: 'ops@example.com' } });
    for (const { webhooks } of [api!, worker!]) expect(webhooks.allowedCidrs).toEqual(['10.2.0.0/16']);
  });

  it('CF-03: in production does not send mails to the mail catcher, for want of another server', () => {
    const more = { NODE_ENV: 'production', PUBLIC_URL: 'https://auth.example.com' };
    for (const { environment } of programs(more)) {
      expect(() => loadConfig(environment)).toThrow(/2 faults:\n {2}- SMTP_URL .+\n {2}- MAIL_FROM .+$/);
    }
  });
});

describe("the compose file's servers", () => {
  it('CF-05: postgres-init.sh makes a role that is no superuser, in whose database Gatehouse comes up', async () => {
    const name = `compose_${randomBytes(8).toString('hex')}`;
    const script = await readFile('ops/compose/postgres-init.sh', 'utf8');
    const [, sql = ''] = /<<'SQL'\n\\getenv password DATABASE_PASSWORD\n(.*)^SQL$/ms.exec(script) ?? [];
    const admin = new pg.Client({ connectionString: process.env['TEST_POSTGRES_URL']! });
    await admin.connect();
    const url = new URL(process.env['TEST_POSTGRES_URL']!);
    Object.assign(url, { username: name, password: env['DATABASE_PASSWORD'], pathname: `/${name}` });
    try {
      const own = sql
        .replaceAll('gatehouse', name)
        .replaceAll(":'password'", `'${env['DATABASE_PASSWORD']}'`);
      for (const statement of own.split(';\n').filter(Boolean)) await admin.query(statement);
      const { rows } = await admin.query(
        `SELECT rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls FROM pg_roles WHERE rolname = $1`,
        [name],
      );
      expect(new Set(Object.values(rows[0] as object))).toEqual(new Set([false]));
      const { stdout } = await run(process.execPath, ['dist/programs/gatehouse.js', 'bootstrap'], {
        env: {
          ...programs()[0]!.environment,
          DATABASE_URL: url.href,
          REDIS_URL: '',
          DATA_DIR: join(folder, 'data'),
        },
      });
      expect(JSON.parse(stdout)).toMatchObject({ secretKey: expect.stringMatching(/^sk_/) });
    } finally {
      await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await admin.query(`DROP ROLE IF EXISTS ${name}`);
      await admin.end();
    }
  });

  (hasRedisServer ? it : it.skip)(
    'CF-05: Redis asks for the password, throws nothing out and writes everything down',
    async () => {
      const { redis } = readCompose(env).services;
      const port = await freePort();
      const conf = join(folder, 'redis.conf');
      const own = (await readFile('ops/compose/redis.conf', 'utf8')).replace('dir /data', `dir ${folder}`);
      await writeFile(conf, `${own}port ${port}\nbind 127.0.0.1\n`);
      const [shell, ...args] = redis!.command!.map((word) => word.replace('/etc/gatehouse-redis.conf', conf));
      const server = spawn(shell!, args, {
        env: { PATH: process.env['PATH'], ...redis!.environment },
        stdio: 'ignore',
      });
      const ask = async (words: string[], password = ''): Promise<string> => {
        const { stdout } = await run('redis-cli', ['-p', String(port), ...words], {
          env: { PATH: process.env['PATH'], REDISCLI_AUTH: password },
        });
        return stdout.trim();
      };
      try {
        await eventually('Redis answering', () => ask(['PING']).catch(() => null));
        expect(await ask(['PING'])).toMatch(/^NOAUTH/);
        expect(await ask(['PING'], env['REDIS_PASSWORD'])).toBe('PONG');
        const said = await ask(['CONFIG', 'GET', 'maxmemory-policy', 'appendonly'], env['REDIS_PASSWORD']);
        expect(said.split('\n').sort()).toEqual(['appendonly', 'maxmemory-policy', 'noeviction', 'yes']);
      } finally {
        server.kill();
      }
    },
  );
});
