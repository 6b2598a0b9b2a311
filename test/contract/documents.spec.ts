import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseEnv, stripVTControlCharacters } from 'node:util';
import { settings } from '#platform';
import { TestInstance } from '../support/test-instance.js';
import { freePort } from '../support/server-process.mjs';

const root = process.cwd();
const read = (name: string): Promise<string> => readFile(join(root, name), 'utf8');

interface Run {
  code: number | null;
  output: string;
}

async function run(
  command: string,
  args: string[],
  options: { cwd: string; env?: NodeJS.ProcessEnv },
): Promise<Run> {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output: stripVTControlCharacters(output) };
}

describe('generated documents', () => {
  test('are what npm run generate makes of the code as it stands', async () => {
    const { code, output } = await run(process.execPath, ['scripts/generate.mjs', '--check'], { cwd: root });
    expect({ code, output }).toMatchObject({ code: 0 });
  });

  test('.env.example holds every setting, and its values are the defaults', async () => {
    const example = (await read('.env.example')).replace(/^# (?=[A-Z_]+=)/gm, '');
    const values = parseEnv(example);
    expect(Object.keys(values).sort()).toEqual(Object.keys(settings).sort());
    for (const [name, setting] of Object.entries(settings)) {
      const value = values[name];
      if (value && name !== 'MAIL_FROM')
        expect({ name, value: setting.parse(value) }).toEqual({ name, value: setting.fallback });
    }
  });
});

describe('written documents', () => {
  const links = /\]\((?!https?:|#)([^)#\s]+)(?:#[^)\s]*)?\)/g;

  test('every relative link leads to a file', async () => {
    const pages = (await readdir(join(root, 'docs'), { recursive: true })).filter((name) =>
      name.endsWith('.md'),
    );
    const files = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...pages.map((name) => `docs/${name}`)];
    const broken: string[] = [];
    for (const file of files) {
      for (const [, target] of (await read(file)).matchAll(links)) {
        if (!existsSync(resolve(root, dirname(file), target!))) broken.push(`${file}: ${target}`);
      }
    }
    expect(broken).toEqual([]);
  });

  test.each(['README.md', 'CONTRIBUTING.md', 'docs/operations.md'])(
    '%s names npm scripts that exist',
    async (file) => {
      const { scripts } = JSON.parse(await read('package.json')) as { scripts: Record<string, string> };
      const text = await read(file);
      const named = [...text.matchAll(/\bnpm (?:run ([a-z:]+)|(start|test)\b)/g)].map(
        ([, script, short]) => script ?? short,
      );
      expect(named.length).toBeGreaterThan(0);
      expect(named.filter((script) => !Object.hasOwn(scripts, script!))).toEqual([]);
    },
  );

  test('architecture.md and the decision records name files that exist', async () => {
    const records = (await readdir(join(root, 'docs/adr'))).map((name) => `docs/adr/${name}`);
    const missing: string[] = [];
    for (const file of ['docs/architecture.md', 'docs/glossary.md', ...records]) {
      for (const [, name] of (await read(file)).matchAll(/`((?:apps|libs|scripts|test|docs)\/[\w./-]*)`/g)) {
        if (!existsSync(join(root, name!))) missing.push(`${file}: ${name}`);
      }
    }
    expect(missing).toEqual([]);
  });
});

/** The blocks between the walk's comments, as one script. */
async function readWalk(): Promise<string> {
  const [, walk = ''] = /<!-- walk:start -->(.*)<!-- walk:end -->/s.exec(await read('README.md')) ?? [];
  return [...walk.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block).join('');
}

const EXPECTED = [
  'customer.created',
  'login.succeeded',
  'session.created',
  'session.created',
  'verification.completed',
  'verification.requested',
];

describe("the README's walk", () => {
  let instance: TestInstance;
  let folder: string;

  beforeAll(async () => {
    // A first attempt that comes before the receiver listens has its second while the walk still runs.
    instance = await TestInstance.shared({
      workerEnv: { WEBHOOK_RETRY_SCHEDULE: '0s,500ms,500ms,500ms,500ms' },
    });
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-walk-'));
    await mkdir(join(folder, '.data'));
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
    await copyFile(
      join(instance.env['DATA_DIR']!, 'credentials.json'),
      join(folder, '.data/credentials.json'),
    );
  });

  afterAll(async () => {
    await instance.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test.each(['bash', 'sh'])('pasted into an empty %s it delivers and verifies every event', async (shell) => {
    const script = (await readWalk())
      .replaceAll('http://127.0.0.1:3000', instance.baseUrl)
      .replaceAll('4000', String(await freePort()))
      // Whoever pastes it waits for longer than a script that does not read along.
      .replaceAll(/^sleep (\d+)$/gm, (_, seconds) => `sleep ${Number(seconds) * 2}`);
    // -e: a curl that fails, or an answer that is not what the next step reads, ends the walk with its code.
    const { code, output } = await run(shell, ['-euc', script], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder },
    });

    expect({ code, output }).toMatchObject({ code: 0 });
    const lines = output.split('\n');
    const received = lines.filter((line) => /^(verified|refused)/.test(line)).sort();
    const logged = lines.filter((line) => / 204 success true$/.test(line)).sort();
    expect(received).toEqual(EXPECTED.map((type) => `verified ${type}`));
    expect(logged).toEqual(EXPECTED.map((type) => `${type} 204 success true`));
    expect(output).toContain('"emailVerified": true');
  });
});
