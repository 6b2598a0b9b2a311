import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../support/eventually.js';
import { Launcher } from '../support/launcher.js';
import { freePort } from '../support/server-process.mjs';
import { Scrape } from '../support/scrape.js';

describe('npm start', () => {
  let folder: string;
  let env: Record<string, string>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse launcher '));
    env = { PORT: String(await freePort()), DATA_DIR: join(folder, 'data') };
  });
  afterAll(async () => rm(folder, { recursive: true, force: true }));

  const readCredentials = async () =>
    JSON.parse(await readFile(join(env['DATA_DIR']!, 'credentials.json'), 'utf8')) as Record<string, any>;
  const isFree = () =>
    fetch(`http://127.0.0.1:${env['PORT']}/livez`).then(
      () => false,
      () => true,
    );

  it('starts all processes, prints a working curl command, and stops them when it is killed', async () => {
    const metricsPort = await freePort();
    const launcher = Launcher.start({ ...env, METRICS_PORT: String(metricsPort) });
    const banner = await launcher.waitForBanner();
    const keys = await readCredentials();
    expect((await stat(join(env['DATA_DIR']!, 'credentials.json'))).mode & 0o777).toBe(0o600);
    for (const shown of [
      keys['baseUrl'],
      keys['secretKey'],
      keys['publishableKey'],
      keys['operator'].password,
    ])
      expect(banner).toContain(shown);

    const curl = /curl -X POST[\s\S]*?'\{.*\}'/.exec(banner)![0];
    const { stdout: response } = await promisify(execFile)('bash', ['-c', curl]);
    expect(JSON.parse(response)).toMatchObject({
      tokens: { expiresIn: 3600 },
      customer: { emailVerified: false },
    });

    for (const [index, service] of ['api', 'webhook-worker'].entries()) {
      await eventually(`the metrics of the ${service}`, async () => {
        const scrape = await Scrape.load(metricsPort + index).catch(() => null);
        return scrape?.value('gatehouse_build_info', { service }) === 1;
      });
    }

    await launcher.stop('SIGKILL');
    await eventually('the port to be free', isFree);
  });

  it('starts again with the same data, rejects a second launcher, and stops cleanly', async () => {
    const before = await readCredentials();
    const restarted = Launcher.start(env);
    await restarted.waitForBanner();
    expect(await readCredentials()).toEqual(before);
    const concurrent = Launcher.start({ ...env, PORT: String(await freePort()) });
    expect(await concurrent.waitForExit()).toBe(1);
    expect(concurrent.output).toContain(env['DATA_DIR']);
    expect(await restarted.stop('SIGINT')).toBe(0);
    expect(await isFree()).toBe(true);
  });

  it('prints a remedy if the port is taken, and lists all configuration errors without secrets', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const blocked = Launcher.start({ ...env, PORT: String(port) });
    expect(await blocked.waitForExit()).toBe(1);
    expect(blocked.output).toContain(String(port));
    expect(blocked.output).toMatch(/PORT=\d+ npm start/);
    server.close();

    const launcher = Launcher.start({
      ...env,
      LOG_LEVEL: 'loud',
      BCRYPT_COST: '99',
      REDIS_URL: 'http://user:hunter2@host',
    });
    expect(await launcher.waitForExit()).toBe(78);
    for (const name of ['LOG_LEVEL', 'BCRYPT_COST', 'REDIS_URL'])
      expect(launcher.output).toContain(`- ${name} `);
    expect(launcher.output).not.toContain('hunter2');
  });
});
