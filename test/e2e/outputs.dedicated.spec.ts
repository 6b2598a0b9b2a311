import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { eventually } from '../support/eventually.js';
import { isNightly, nightlyIt } from '../support/is-nightly.js';
import { entryPoints, freePort } from '../support/server-process.mjs';
import { TestInstance } from '../support/test-instance.js';

/**
 * closed: the pipe's reader has ended. full: the disk is full. stalled: the pipe's reader reads nothing.
 * read: the pipe's reader reads everything.
 */
type OutputState = 'closed' | 'full' | 'stalled' | 'read';

let instance: TestInstance;
let folder: string;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-outputs-'));
});
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(async () => {
  await instance?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
});

const moduleUrl = (file: string): string => JSON.stringify(pathToFileURL(`${process.cwd()}/${file}`).href);

/** A module that waits for the end of standard input, so that the program writes only once its outputs are prepared. */
const waitForInput = `data:text/javascript,${encodeURIComponent(`import { readFileSync } from 'node:fs'; readFileSync(0);`)}`;

/** Starts a Node.js program. @returns the process, and what it has written to outputs that are read */
async function start(
  args: string[],
  states: { stdout: OutputState; stderr: OutputState },
  env: Record<string, string> = {},
): Promise<{ child: ChildProcess; read: () => string }> {
  const full = openSync('/dev/full', 'w');
  const toStdio = (state: OutputState) => (state === 'full' ? full : 'pipe');
  const child = spawn(process.execPath, ['--import', waitForInput, ...args], {
    env: { PATH: process.env['PATH']!, ...env },
    stdio: ['pipe', toStdio(states.stdout), toStdio(states.stderr)],
  });
  children.push(child);
  closeSync(full);
  let text = '';
  for (const [state, stream] of [
    [states.stdout, child.stdout],
    [states.stderr, child.stderr],
  ] as const) {
    if (state === 'read') stream!.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    if (state === 'closed') await once(stream!.destroy(), 'close');
  }
  child.stdin!.end();
  return { child, read: () => text };
}

async function waitForExit(child: ChildProcess): Promise<number | NodeJS.Signals | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode ?? child.signalCode;
}

/** Returns a service that runs `body` when it starts. */
const service = (body: string): string[] => [
  '--input-type=module',
  '-e',
  `const { Metrics, runProcess } = await import(${moduleUrl('libs/platform/dist/index.js')});
   await runProcess('service', async (config, logger) => ({
     start: async () => { ${body} },
     stop: async () => undefined,
   }));
   setInterval(() => undefined, 1000);`,
];

const LINES = 6_000;
/** Writes 6 MB to the log, which is more than a process buffers, and a Node.js warning to standard error. */
const writeLargeLog = `
  for (let index = 0; index < ${LINES}; index += 1) logger.info({ index, text: 'x'.repeat(900) }, 'line');
  process.emitWarning('unimportant');`;

describe('a service', () => {
  it.each(['closed', 'full', 'stalled'] as const)(
    'exits after an unexpected error while its outputs are %s',
    async (state) => {
      const boom = `setTimeout(() => { throw new Error('boom'); }, 100);`;
      const { child } = await start(
        service(writeLargeLog + boom),
        { stdout: state, stderr: state },
        instance.env,
      );
      expect(await waitForExit(child)).toBe(1);
    },
  );

  it('writes whole lines, and the number of lost ones, once a full disk has space again', async () => {
    const file = join(folder, 'service.log');
    const limit = 2 * 1024 * 1024;
    // `ulimit` counts 512-byte blocks. Beyond the limit, each write causes a signal and fails as on a full disk.
    const shell = `ulimit -f ${limit / 512}; exec "$@" >> ${file}`;
    const body = `
      process.on('SIGXFSZ', () => undefined);
      ${writeLargeLog}
      const metrics = await Metrics.load();
      metrics.registerDroppedLogLines();
      process.stderr.write(await metrics.render());`;
    const child = spawn('sh', ['-c', shell, 'sh', process.execPath, ...service(body)], {
      env: { PATH: process.env['PATH']!, ...instance.env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    children.push(child);
    let metrics = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (metrics += chunk));
    let text = '';
    const report = await eventually('the report', async () => {
      const { size } = await stat(file).catch(() => ({ size: 0 }));
      const content = size > 0 ? await readFile(file, 'utf8') : '';
      if (size < limit) return /"lines":(\d+),"message":"log lines dropped"/.exec(text + content);
      // The file is at its limit, so the service cannot append to it until it has been truncated.
      text += content;
      await truncate(file);
      return null;
    });
    child.kill('SIGTERM');
    expect(await waitForExit(child)).toBe(0);
    const lines = (text + (await readFile(file, 'utf8')))
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { message: string; index: number; level: string });
    const writtenLines = lines.filter(({ message }) => message === 'line');
    expect(writtenLines.map(({ index }) => index)).toEqual(writtenLines.map((_, index) => index));
    expect(writtenLines.length + Number(report[1])).toBe(LINES);
    expect(metrics).toContain(`\ngatehouse_log_lines_dropped_total ${report[1]}\n`);
    expect(lines.filter(({ message }) => message === 'log lines dropped')).toMatchObject([
      { level: 'error' },
    ]);
  });
});

describe('a program', () => {
  // `all` runs the API and the worker, so there is no separate case for the worker.
  it.each(isNightly ? (['api', 'all'] as const) : (['all'] as const))(
    'serves requests and stops despite a full log disk and a closed standard error: %s',
    async (name) => {
      const [port, metricsPort] = [await freePort(), await freePort()];
      const { child } = await start(
        [entryPoints[name]],
        { stdout: 'full', stderr: 'closed' },
        { ...instance.env, PORT: String(port), METRICS_PORT: String(metricsPort), LOG_LEVEL: 'trace' },
      );
      const isReady = async (each: number) =>
        (await fetch(`http://127.0.0.1:${each}/readyz`).catch(() => null))?.status === 200;
      const ports = { api: [port], all: [port, metricsPort + 1] }[name];
      for (const each of ports) await eventually(`port ${each}`, () => isReady(each));
      child.kill('SIGTERM');
      expect(await waitForExit(child)).toBe(0);
    },
  );
});

describe('the launcher', () => {
  /**
   * Returns the arguments for a launcher with two programs. @param program each program's code @param run code that
   * uses the launcher
   */
  async function launcher(program: string, run: string): Promise<string[]> {
    for (const name of ['api', 'webhook-worker']) await writeFile(join(folder, `${name}.js`), program);
    const body = `
      import { closeSync, openSync } from 'node:fs';
      const { openLog, Programs } = await import(${moduleUrl('scripts/supervisor.mjs')});
      const log = await openLog();
      const programs = new Programs({ folder: ${JSON.stringify(folder)}, log, onConfigError: () => undefined });
      ${run}
      await programs.ready;
      await programs.stop();
      process.exit(0);`;
    return ['--input-type=module', '-e', body];
  }
  const ready = `process.send('ready'); setInterval(() => undefined, 1000);`;

  it('stops its programs even if their output is not read', async () => {
    const program = `process.stdout.write('x\\n'.repeat(8_000_000)); ${ready}`;
    const args = await launcher(program, 'programs.start(process.env);');
    const { child } = await start(args, { stdout: 'stalled', stderr: 'stalled' });
    expect(await waitForExit(child)).toBe(0);
  });

  it('restarts programs that could not start for lack of file descriptors', async () => {
    const run = `
      const taken = [];
      try { for (;;) taken.push(openSync('/dev/null')); } catch {}
      programs.start(process.env);
      for (const each of taken) closeSync(each);`;
    const { child, read } = await start(await launcher(ready, run), { stdout: 'read', stderr: 'read' });
    expect(await waitForExit(child)).toBe(0);
    expect(read()).toContain('api: spawn');
  });
});

nightlyIt("a command ends silently if its output's reader has ended, and reports a full disk", async () => {
  const cli = 'packages/cli/dist/main.js';
  const unwritable = /^[^\n]*cannot (be written|write)[^\n]*: ENOSPC[^\n]*\n$/i;
  const emptyOutput = /^$/;
  const cases: [args: string[], stdout: OutputState, stderr: OutputState, code: number, text: RegExp][] = [
    [[cli, '--help'], 'closed', 'read', 141, emptyOutput],
    [[cli, '--help'], 'full', 'read', 1, unwritable],
    [[cli, 'customers', 'list'], 'read', 'closed', 141, emptyOutput],
    [[cli, 'customers', 'list'], 'read', 'full', 2, emptyOutput],
    [[entryPoints.gatehouse, 'alert-secret'], 'closed', 'read', 141, emptyOutput],
    [[entryPoints.gatehouse, 'alert-secret'], 'full', 'read', 1, unwritable],
    [[entryPoints.gatehouse, 'unknown'], 'read', 'closed', 141, emptyOutput],
    [[entryPoints.gatehouse, 'unknown'], 'read', 'full', 2, emptyOutput],
  ];
  for (const [args, stdout, stderr, code, text] of cases) {
    if (stderr === 'closed' && !isNightly) continue;
    const { GATEHOUSE_SECRET } = instance.env as { GATEHOUSE_SECRET: string };
    const { child, read } = await start(args, { stdout, stderr }, { GATEHOUSE_SECRET });
    const closed = once(child, 'close');
    const found = await waitForExit(child);
    await closed;
    expect({ args, stdout, stderr, found, text: read() }).toEqual({
      ...{ args, stdout, stderr, found: code },
      text: expect.stringMatching(text),
    });
  }
});
