import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { freePort } from '../support/server-process.mjs';
import { TestInstance } from '../support/test-instance.js';
import { isNightly } from '../support/is-nightly.js';

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

/** Returns the walk-through's code blocks as one script. */
async function readWalkThrough(): Promise<string> {
  const page = await readFile('docs/quick-starts/walk-through.md', 'utf8');
  const [, section = ''] = /<!-- walk:start -->(.*)<!-- walk:end -->/s.exec(page) ?? [];
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block).join('');
}

const EXPECTED = [
  'customer.created',
  'login.succeeded',
  'session.created',
  'session.created',
  'verification.completed',
  'verification.requested',
];

/**
 * Replacements for the pauses in the script: wait until the receiver listens, and until all deliveries have arrived
 * and are logged.
 */
const waits = (port: number): string[] => [
  `until node -e "net.connect(${port}, '127.0.0.1').on('connect', () => process.exit(0)).on('error', () => process.exit(1))"; do sleep 0.1; done`,
  `until test "$(curl -fsS "$BASE/v1/webhooks/deliveries?success=true&endpoint_id=$ENDPOINT_ID" \
     -H "Authorization: Bearer $SECRET_KEY" | json .data.length)" -ge ${EXPECTED.length}; do sleep 0.1; done`,
];

describe('the walk-through', () => {
  let instance: TestInstance;
  const folders: string[] = [];
  beforeAll(async () => (instance = await TestInstance.startShared()));
  afterAll(async () => {
    await instance?.stop();
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  });

  /** Creates a folder that contains only what npm start leaves behind. */
  async function newFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-quick-start-'));
    folders.push(folder);
    await mkdir(join(folder, '.data'));
    await symlink(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'), 'junction');
    const credentials = join(instance.env['DATA_DIR']!, 'credentials.json');
    await copyFile(credentials, join(folder, '.data/credentials.json'));
    return folder;
  }

  it.each(isNightly ? ['bash', 'sh'] : ['sh'])(
    'delivers and verifies every event when pasted into a new %s',
    async (shell) => {
      const [folder, port] = [await newFolder(), await freePort()];
      const pauses = waits(port);
      const script = (await readWalkThrough())
        .replaceAll('http://127.0.0.1:3000', instance.baseUrl)
        .replaceAll('4000', String(port))
        .replaceAll('ada-$(date +%s)', `ada-${shell}`)
        .replaceAll(/^sleep \d+$/gm, () => pauses.shift()!);
      // With -e, a failing curl or a response that the next step cannot parse ends the script with that exit code.
      const { code, output } = await run(shell, ['-euc', script], {
        cwd: folder,
        env: { PATH: process.env['PATH'], HOME: folder },
      });

      expect({ code, output }).toMatchObject({ code: 0 });
      expect(pauses).toEqual([]);
      const lines = output.split('\n');
      const received = lines.filter((line) => /^(verified|rejected)/.test(line)).sort();
      const logged = lines.filter((line) => / 204 success true$/.test(line)).sort();
      expect(received).toEqual(EXPECTED.map((type) => `verified ${type}`));
      expect(logged).toEqual(EXPECTED.map((type) => `${type} 204 success true`));
      expect(output).toContain('"emailVerified": true');
    },
  );
});

it('docs/architecture.md mentions every folder in apps and libs', async () => {
  const text = await readFile('docs/architecture.md', 'utf8');
  const parts = [
    'apps/api',
    'apps/webhook-worker',
    'apps/console',
    'libs/domain',
    'libs/platform',
    'libs/persistence',
    'libs/auth',
  ];
  const folders = await Promise.all(
    parts.map(async (part) => {
      const entries = await readdir(`${part}/src`, { withFileTypes: true });
      return entries.filter((entry) => entry.isDirectory()).map(({ name }) => ({ part, name }));
    }),
  );
  expect(folders.flat().filter(({ name }) => !text.includes(`\`${name}\``))).toEqual([]);
});
