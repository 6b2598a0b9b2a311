import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import pg from 'pg';
import { findUnpinned } from '../../scripts/find-unpinned.mjs';
import { MEMORY_OPTIONS } from '../../scripts/program-options.mjs';
import { readCompose, readDockerfile } from '../support/compose.mjs';
import { eventually } from '../support/eventually.js';
import { loadConfig } from '../support/platform.js';
import { hasRedisServer } from '../support/redis-server.js';
import { freePort } from '../support/server-process.mjs';
import { TestInstance } from '../support/test-instance.js';

/** Runs the containers' programs and scripts on this machine. scripts/check-files.mjs checks the container files. */
const run = promisify(execFile);
const SECRETS = [
  'POSTGRES_PASSWORD',
  'DATABASE_PASSWORD',
  'RUNTIME_DATABASE_PASSWORD',
  'REDIS_PASSWORD',
  'ROOT_SECRET',
];

/** A folder that stands in for the repository, with a copy of make-env.sh. */
let folder: string;
let env: Record<string, string | undefined>;
const makeEnv = () => run('sh', [join(folder, 'ops/compose/make-env.sh')], { cwd: tmpdir() });
const readEnvFile = () => readFile(join(folder, '.env'), 'utf8');
const readMode = async () => (await stat(join(folder, '.env'))).mode & 0o777;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-compose-'));
  await mkdir(join(folder, 'ops/compose'), { recursive: true });
  await copyFile('ops/compose/make-env.sh', join(folder, 'ops/compose/make-env.sh'));
  await makeEnv();
  env = parseEnv(await readEnvFile());
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('pin-images.sh', () => {
  it('SC-01: adds the digest from the registry to every image, and replaces older digests', async () => {
    const files = ['Dockerfile', 'docker-compose.yml', '.github/workflows/release.yml'];
    await mkdir(join(folder, '.github/workflows'), { recursive: true });
    for (const file of [...files, 'ops/pin-images.sh']) await copyFile(file, join(folder, file));
    const bin = join(folder, 'bin');
    await mkdir(bin);
    const pin = async (digest: string) => {
      await writeFile(join(bin, 'docker'), `#!/bin/sh\necho "$5 $4" >> "${folder}/calls"\necho ${digest}\n`);
      await chmod(join(bin, 'docker'), 0o755);
      await run('sh', [join(folder, 'ops/pin-images.sh')], {
        env: { PATH: `${bin}:${process.env['PATH']}` },
      });
      const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
      return texts
        .join('')
        .match(/(?<=^ARG NODE_IMAGE=|^ *image: |^ *driver-opts: image=|^ *sbom: generator=).+/gm)!
        .filter((image) => !/^gatehouse:/.test(image));
    };
    const [first, second] = ['a', 'b'].map((digit) => `sha256:${digit.repeat(64)}`) as [string, string];
    const pinned = await pin(first);
    expect(pinned).toHaveLength(8);
    for (const image of pinned) expect(image).toMatch(/^[\w/-]+:[\w.-]+@sha256:a{64}$/);
    expect(findUnpinned(folder)).toEqual({ images: [], actions: [] });
    expect(await pin(second)).toEqual(pinned.map((image) => image.replace(first, second)));
    await expect(pin('not-a-digest')).rejects.toThrow('no digest');
  });
});

describe('make-env.sh', () => {
  it('CF-05: creates random secrets in a file that only its owner can read', async () => {
    expect(Object.keys(env).sort()).toEqual([...SECRETS].sort());
    for (const name of SECRETS) expect(env[name]).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(Object.values(env)).size).toBe(SECRETS.length);
    expect(await readMode()).toBe(0o600);
  });

  it('CF-05: removes read permission for other users from an existing file', async () => {
    await chmod(join(folder, '.env'), 0o644);
    await makeEnv();
    expect(await readMode()).toBe(0o600);
  });

  it('preserves existing values when it runs again, and adds missing ones', async () => {
    const before = await readEnvFile();
    await makeEnv();
    expect(await readEnvFile()).toBe(before);
    const existing = `LOG_LEVEL=debug\nREDIS_PASSWORD=${env['REDIS_PASSWORD']}`;
    await writeFile(join(folder, '.env'), existing);
    await makeEnv();
    expect((await readEnvFile()).startsWith(`${existing}\n`)).toBe(true);
    expect(Object.keys(parseEnv(await readEnvFile())).sort()).toEqual([...SECRETS, 'LOG_LEVEL'].sort());
    await writeFile(join(folder, '.env'), before);
  });
});

describe('the servers in the compose file', () => {
  it('CF-05, OP-05: create roles that are not superusers and cannot change the audit log', async () => {
    const name = `compose_${randomBytes(8).toString('hex')}`;
    const script = await readFile('ops/compose/postgres-init.sh', 'utf8');
    const [, names = '', sql = ''] = /<<'SQL'\n((?:\\getenv [^\n]*\n)+)(.*)^SQL$/ms.exec(script) ?? [];
    const admin = new pg.Client({ connectionString: process.env['TEST_POSTGRES_URL']! });
    await admin.connect();
    /** Returns a database URL of the compose file, rewritten for the test server. */
    const urlIn = (setting: string): string => {
      const url = new URL(readCompose(env).services['api']!.environment![setting]!);
      const { host } = new URL(process.env['TEST_POSTGRES_URL']!);
      return Object.assign(url, {
        username: url.username.replace('gatehouse', name),
        pathname: `/${name}`,
        host,
      }).href;
    };
    const runtimeUrl = urlIn('DATABASE_URL');
    try {
      let ownSql = sql.replaceAll('gatehouse', name);
      for (const [, variable, secret] of names.matchAll(/getenv (\w+) (\w+)/g))
        ownSql = ownSql.replaceAll(`:'${variable}'`, `'${env[secret!]}'`);
      for (const statement of ownSql.split(';\n').filter(Boolean)) await admin.query(statement);
      const { rows } = await admin.query<Record<string, boolean>>(
        `SELECT rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls FROM pg_roles WHERE rolname LIKE $1`,
        [`${name}%`],
      );
      expect(rows).toHaveLength(2);
      expect(new Set(rows.flatMap((role) => Object.values(role)))).toEqual(new Set([false]));
      const { stdout } = await run(process.execPath, ['dist/programs/gatehouse.js', 'bootstrap'], {
        env: {
          ...readCompose(env).services['api']!.environment,
          DATABASE_URL: runtimeUrl,
          MIGRATE_DATABASE_URL: urlIn('MIGRATE_DATABASE_URL'),
          REDIS_URL: '',
          DATA_DIR: join(folder, 'data'),
        },
      });
      expect(JSON.parse(stdout)).toMatchObject({ secretKey: expect.stringMatching(/^sk_/) });
      const runtime = new pg.Client({ connectionString: runtimeUrl });
      await runtime.connect();
      await expect(runtime.query('ALTER TABLE audit_log DISABLE TRIGGER ALL')).rejects.toMatchObject({
        code: '42501',
      });
      await runtime.end();
    } finally {
      await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await admin.query(`DROP ROLE IF EXISTS ${name}`);
      await admin.query(`DROP ROLE IF EXISTS ${name}_runtime`);
      await admin.end();
    }
  });

  it("OP-05: pass the table owner's credentials only to the api service", () => {
    const { services } = readCompose(env);
    const withOwner = Object.entries(services)
      .filter(([, { environment }]) => JSON.stringify(environment ?? {}).includes(env['DATABASE_PASSWORD']!))
      .map(([service]) => service);
    expect(withOwner).toEqual(['api', 'postgres']);
  });

  (hasRedisServer ? it : it.skip)(
    'CF-05: Redis requires the password, evicts nothing and persists everything',
    async () => {
      const { redis } = readCompose(env).services;
      const port = await freePort();
      const configFile = join(folder, 'redis.conf');
      const ownConfig = (await readFile('ops/compose/redis.conf', 'utf8')).replace(
        'dir /data',
        `dir ${folder}`,
      );
      await writeFile(configFile, `${ownConfig}port ${port}\nbind 127.0.0.1\n`);
      const [shell, ...args] = redis!.command!.map((word) =>
        word.replace('/etc/gatehouse-redis.conf', configFile),
      );
      const server = spawn(shell!, args, {
        env: { PATH: process.env['PATH'], ...redis!.environment },
        stdio: 'ignore',
      });
      const redisCli = async (words: string[], password = ''): Promise<string> => {
        const { stdout } = await run('redis-cli', ['-p', String(port), ...words], {
          env: { PATH: process.env['PATH'], REDISCLI_AUTH: password },
        });
        return stdout.trim();
      };
      try {
        await eventually('Redis to respond', () => redisCli(['PING']).catch(() => null));
        expect(await redisCli(['PING'])).toMatch(/^NOAUTH/);
        expect(await redisCli(['PING'], env['REDIS_PASSWORD'])).toBe('PONG');
        const settings = await redisCli(
          ['CONFIG', 'GET', 'maxmemory-policy', 'appendonly'],
          env['REDIS_PASSWORD'],
        );
        expect(settings.split('\n').sort()).toEqual(['appendonly', 'maxmemory-policy', 'noeviction', 'yes']);
      } finally {
        server.kill();
      }
    },
  );
});

it('CF-03: the compose file lets both programs call the container host only in development', () => {
  const addresses = [
    { address: '172.17.0.1', family: 4 },
    { address: 'fdc4:f303:9324::254', family: 6 },
  ];
  const listRanges = (more: Record<string, string> = {}) =>
    ['api', 'webhook-worker'].map((name) => {
      const { environment, extra_hosts: hosts = [] } = readCompose({ ...env, ...more }).services[name]!;
      const findAddresses = (host: string) => (hosts.includes(`${host}:host-gateway`) ? addresses : []);
      return loadConfig(environment, { findAddresses }).webhooks.allowedCidrs;
    });
  const ranges = ['172.17.0.1/32', 'fdc4:f303:9324::254/128'];
  expect(listRanges()).toEqual([ranges, ranges]);
  const production = {
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://auth.example.com',
    SMTP_URL: 'smtps://mailer:Xw3-kLp9@mail.example.com',
    MAIL_FROM: 'Shop <no-reply@example.com>',
  };
  expect(listRanges(production)).toEqual([[], []]);
});

it('the image starts its programs with the same memory options as the launcher', () => {
  const options = Object.entries(MEMORY_OPTIONS).map(([name, value]) => `${name}=${value}`);
  expect(readDockerfile().all('ENV')).toContain(options.join(' '));
});

it('the image build stores the compiled code of the programs', async () => {
  // scripts/check-files.mjs checks the user and the folder.
  const [command] = /node dist\S+ --help/.exec(readDockerfile().all('RUN').at(-1)!)!;
  const cache = join(folder, 'compiled');
  await run('sh', ['-c', command], { env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: cache } });
  const files = await readdir(cache, { recursive: true }).catch(() => []);
  // Node.js 20 has no such cache.
  expect(files.length > 30).toBe('enableCompileCache' in module);
});

describe('the image', () => {
  let instance: TestInstance;
  let metricsPort: number;
  let app: string;
  beforeAll(async () => {
    app = await copyImageFiles();
    instance = await TestInstance.startShared({ workers: 0 });
    metricsPort = await freePort();
    const worker = instance.startWorker({ METRICS_PORT: String(metricsPort) });
    await worker.waitUntilReady();
  });
  afterAll(() => instance?.stop());

  const readChecks = () => {
    const { services } = readCompose(env);
    const imageCheck = JSON.parse(
      readDockerfile()
        .all('HEALTHCHECK')[0]!
        .replace(/^.*?CMD /, ''),
    ) as string[];
    const serviceCheck = (name: string): string[] => services[name]!.healthcheck!.test.slice(1);
    return { image: imageCheck, api: serviceCheck('api'), 'webhook-worker': serviceCheck('webhook-worker') };
  };

  /** Creates a folder with the image's files. Programs that do not depend on their location are links. */
  async function copyImageFiles(): Promise<string> {
    const app = join(folder, 'app');
    const { instructions } = readDockerfile();
    const last = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'));
    for (const { rest } of last.filter(({ name }) => name === 'COPY')) {
      const words = rest.split(' ').filter((word) => !word.startsWith('--'));
      for (const source of words.slice(0, -1)) {
        const path = source.replace('/app/', '');
        await mkdir(dirname(join(app, path)), { recursive: true });
        if ((await stat(path)).isDirectory()) await symlink(resolve(path), join(app, path));
        else await copyFile(path, join(app, path));
      }
    }
    return app;
  }

  /** Returns the exit code of a health check that uses the given ports. */
  async function check(name: keyof ReturnType<typeof readChecks>, apiPort: string, workerPort: string) {
    const [program, ...args] = readChecks()[name];
    const words = args.map((word) =>
      word.replace(':3000/', `:${apiPort}/`).replace(':9464/', `:${workerPort}/`),
    );
    const child = execFile(program!, words, { env: { PATH: process.env['PATH'], PORT: apiPort } });
    const [code] = (await once(child, 'exit')) as [number];
    return code;
  }

  /** Runs `gatehouse-admin` with the variables that the Dockerfile sets for its messages. */
  async function runAdmin(args: string[], environment: Record<string, string>) {
    const script = await readFile(join(app, 'ops/image/gatehouse-admin'), 'utf8');
    const command = join(folder, 'gatehouse-admin');
    await writeFile(command, script.replace(' /app/', ` ${app}/`));
    const [name = '', value = ''] = readDockerfile()
      .all('ENV')
      .find((line) => line.endsWith('=gatehouse-admin'))!
      .split('=');
    return run('sh', [command, ...args], {
      cwd: tmpdir(),
      env: { ...environment, [name]: value, PATH: process.env['PATH'], HOME: '/nonexistent' },
    });
  }

  it('runs gatehouse-admin in any folder, without the sources and without a home folder', async () => {
    const { stdout } = await runAdmin(['operator-link'], instance.env);
    expect(stdout).toMatch(
      new RegExp(
        `set a new password for operator@localhost.+\n\n${instance.baseUrl}/console/invitation#token=`,
      ),
    );
  });

  it('prints the usage of gatehouse-admin', async () => {
    const { stderr } = await runAdmin([], {});
    expect(stderr).toMatch(/^Usage: gatehouse-admin <command>\n/);
    expect(stderr).not.toContain('npm run');
  });

  it('requires DATABASE_URL for gatehouse-admin, because it contains no PostgreSQL', async () => {
    const environment = { DATA_DIR: join(folder, 'data') };
    await expect(runAdmin(['operator-link'], environment)).rejects.toMatchObject({
      code: 78,
      stderr: expect.stringContaining('DATABASE_URL is required'),
    });
  });

  it('passes the health checks while a process runs, and fails them after it has ended', async () => {
    const closed = String(await freePort());
    for (const name of ['image', 'api', 'webhook-worker'] as const) {
      const codes = [
        await check(name, instance.env['PORT']!, String(metricsPort)),
        await check(name, closed, closed),
      ];
      expect([name, ...codes]).toEqual([name, 0, 1]);
    }
  });
});
