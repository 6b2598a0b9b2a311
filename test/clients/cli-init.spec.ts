import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../scripts/processes.mjs';
import { parseLines, RunningCli, runCli, startCli } from '../support/cli.js';
import { codeBlocks } from '../support/code-blocks.js';
import { waitUntilListening } from '../support/listening-program.js';
import { newProjects, writeProject, type NewProject } from '../support/new-projects.js';
import { freePort } from '../support/server-process.mjs';
import { insertProject } from '../support/tenants.js';
import { bearerHeader, TestInstance } from '../support/test-instance.js';

const TSC = join(process.cwd(), 'node_modules', 'typescript-7', 'bin', 'tsc');

let instance: TestInstance;
let parent: string;
const stops: (() => void)[] = [];
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  parent = await mkdtemp(join(tmpdir(), 'gatehouse-init-'));
  await symlink(join(process.cwd(), 'node_modules'), join(parent, 'node_modules'), 'junction');
});
afterAll(async () => {
  for (const stop of stops) stop();
  if (parent) await rm(parent, { recursive: true, force: true });
  await instance?.stop();
});

/** Creates a new project with its packages installed. */
async function createProject(name: NewProject): Promise<string> {
  const folder = await mkdtemp(join(parent, `${name}-`));
  await writeProject(folder, name);
  return folder;
}

const init = (cwd: string, args: string[] = [], env: Record<string, string | undefined> = {}) =>
  runCli(instance, ['init', '--no-install', ...args], { cwd, env });

async function readFiles(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
  const files = paths.map(async (path) => [path.slice(folder.length + 1), await readFile(path, 'utf8')]);
  return Object.fromEntries(await Promise.all(files)) as Record<string, string>;
}

/** Starts a server that `init` has changed. @returns its URL */
async function startServer(cwd: string, file: string): Promise<string> {
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const env = { PATH: process.env['PATH'], PORT: port };
  const child = spawn(process.execPath, [file], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  stops.push(() => child.kill('SIGKILL'));
  await waitUntilListening(file, child, url);
  return url;
}

async function compile(folder: string): Promise<void> {
  const { code, output } = await run(process.execPath, [TSC, '-p', folder, '--pretty', 'false'], {
    cwd: folder,
  });
  if (code !== 0) throw new Error(output);
}

it.each([
  ['express', 'bin/www'],
  ['nestjs', 'dist/src/main.js'],
] as const)(
  'gatehouse init protects a route of a new %s project without further edits',
  async (name, file) => {
    const folder = await createProject(name);
    expect(await init(folder, ['--yes'])).toMatchObject({ code: 0, stderr: '' });
    if (name === 'nestjs') await compile(folder);
    const url = await startServer(folder, file);

    const { body } = await instance.register();
    const signedIn = await fetch(`${url}/orders`, { headers: bearerHeader(body.tokens.accessToken) });
    expect(await signedIn.json()).toEqual({ customerId: body.customer.id, orders: [] });
    const signedOut = await fetch(`${url}/orders`);
    expect(await signedOut.json()).toMatchObject({ status: 401, code: 'invalid_access_token' });
    expect((await fetch(url)).status).toBe(200);
  },
);

it.each(['vite', 'nextjs'] as const)(
  'gatehouse init writes correctly typed code into a new %s project',
  async (name) => {
    const folder = await createProject(name);
    expect(await init(folder, ['--yes'])).toMatchObject({ code: 0, stderr: '' });
    await compile(folder);
  },
);

it.each([
  ['vite', '.env.local', ['VITE_GATEHOUSE_URL', 'VITE_PUBLISHABLE_KEY'], ['.gitignore']],
  [
    'nextjs',
    '.env.local',
    ['GATEHOUSE_URL', 'GATEHOUSE_PROJECT_ID', 'GATEHOUSE_PUBLISHABLE_KEY'],
    ['.gitignore'],
  ],
  ['express', '.env', ['GATEHOUSE_URL', 'GATEHOUSE_PROJECT_ID', 'GATEHOUSE_PUBLISHABLE_KEY'], []],
  ['nestjs', '.env', ['GATEHOUSE_URL', 'GATEHOUSE_PROJECT_ID', 'GATEHOUSE_PUBLISHABLE_KEY'], ['.gitignore']],
] as const)(
  'gatehouse init stores the settings of %s in %s, and a second run does not change any file',
  async (name, file, names, unchangedFiles) => {
    const folder = await createProject(name);
    const { code, stdout } = await init(folder, ['--yes', '--json']);
    expect(code).toBe(0);
    const [result] = parseLines(stdout);
    const files = await readFiles(folder);
    const { baseUrl, projectId, projectSecretKey } = instance.credentials;
    const values = [baseUrl, ...(names.length === 3 ? [projectId] : []), result.publishableKey];
    expect(files[file]).toBe(names.map((each, index) => `${each}=${values[index]}\n`).join(''));
    expect(files['.gitignore']!.split('\n')).toEqual(
      expect.arrayContaining([unchangedFiles.length > 0 ? expect.anything() : file]),
    );
    for (const path of unchangedFiles)
      expect(files[path]).toBe((newProjects[name] as Record<string, string>)[path]);
    expect(JSON.stringify(files)).not.toContain(projectSecretKey);
    expect(result.manualSteps).toEqual([]);

    // The publishable key is stored now, so no secret key is needed.
    const second = await init(folder, [], { GATEHOUSE_SECRET_KEY: undefined });
    expect(second).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing to change.') });
    expect(await readFiles(folder)).toEqual(files);
  },
);

it('gatehouse init shows the changes, and applies them only after confirmation', async () => {
  const folder = await createProject('vite');
  const before = await readFiles(folder);
  const cli = await startCli(instance, ['init', '--no-install'], { cwd: folder, columns: 80 });
  await cli.waitFor('Apply these changes?', 'stderr');
  expect(cli.stdout).toMatch(
    /create .*\.env\.local\n.*create .*src\/gatehouse\.tsx\n.*change .*src\/main\.tsx\n/,
  );
  expect(cli.stdout).toContain('publishable key shop in the project My project');
  cli.stdin.write('n\n');
  expect(await cli.exit).toBe(1);
  expect(await readFiles(folder)).toEqual(before);

  const { code, stderr } = await init(folder);
  expect([code, stderr]).toEqual([2, expect.stringContaining('--yes')]);
  expect(await readFiles(folder)).toEqual(before);
});

it('gatehouse init prompts for the URL and the key, and neither displays nor stores the key', async () => {
  const folder = await createProject('express');
  const cli = new RunningCli(['init', '--no-install'], { cwd: folder, columns: 80 });
  await cli.waitFor('URL of Gatehouse', 'stderr');
  cli.stdin.write(`${instance.baseUrl}\n`);
  await cli.waitFor('Secret key', 'stderr');
  cli.stdin.write(`${instance.credentials.projectSecretKey}\n`);
  await cli.waitFor('Apply these changes?', 'stderr');
  cli.stdin.write('y\n');
  expect(await cli.exit).toBe(0);
  const shown = cli.stdout + cli.stderr + JSON.stringify(await readFiles(folder));
  expect(shown).not.toContain(instance.credentials.projectSecretKey.slice(3, 20));
  expect(cli.stdout).toContain('/orders -H "Authorization: Bearer $TOKEN"');
});

it('gatehouse init rejects invalid keys, projects and other values before any change', async () => {
  const folder = await createProject('express');
  const { baseUrl, publishableKey, secretKey, organizationId } = instance.credentials;
  await insertProject(instance, organizationId);
  const before = await readFiles(folder);
  const unknownKey = `pk_${'0'.repeat(49)}`;
  const cases: [string[], Record<string, string>, number, string][] = [
    [[], { GATEHOUSE_SECRET_KEY: publishableKey }, 2, 'The key is a publishable key'],
    [[], { GATEHOUSE_SECRET_KEY: `sk_${'0'.repeat(49)}` }, 1, 'invalid_api_key'],
    [[], { GATEHOUSE_SECRET_KEY: secretKey }, 2, 'several projects'],
    [['--publishable-key', secretKey], {}, 2, 'is a secret key'],
    [['--publishable-key', unknownKey], {}, 1, `not valid at ${baseUrl}`],
    [['--framework', 'rails'], {}, 2, 'Allowed choices are nextjs'],
  ];
  for (const [args, env, code, message] of cases) {
    const result = await init(folder, ['--yes', ...args], env);
    expect(result).toMatchObject({ code, stderr: expect.stringContaining(message) });
  }
  await writeFile(join(folder, '.env'), 'GATEHOUSE_PROJECT_ID=019aa2c0-7d1e-7000-8000-000000000000\n');
  const conflict = await init(folder, ['--yes', '--project', instance.credentials.projectId]);
  expect(conflict).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('GATEHOUSE_PROJECT_ID has a different value'),
  });
  await rm(join(folder, '.env'));
  expect(await readFiles(folder)).toEqual(before);
});

it("gatehouse init adds the development server's origin if the project restricts origins", async () => {
  const project = `/api/v1/projects/${instance.credentials.projectId}`;
  const setOrigins = (allowedOrigins: string[]) =>
    instance.requestWithSecretKey('PATCH', project, { settings: { allowedOrigins } });
  await setOrigins(['https://shop.example.com']);
  const { body: limited } = await instance.requestWithSecretKey('POST', `${project}/api-keys`, {
    name: 'without project:write',
    scopes: ['project:read', 'api_key:read', 'api_key:write'],
  });
  const rejected = await init(await createProject('vite'), ['--yes'], { GATEHOUSE_SECRET_KEY: limited.key });
  expect(rejected).toMatchObject({ code: 1, stdout: expect.stringContaining('insufficient_scope') });
  expect(rejected.stdout).toContain('Add http://localhost:5173 to the allowed origins');

  const args = ['--yes', '--project', instance.credentials.projectId];
  const env = { GATEHOUSE_SECRET_KEY: instance.credentials.secretKey };
  expect(await init(await createProject('vite'), args, env)).toMatchObject({ code: 0 });
  const { body } = await instance.requestWithSecretKey('GET', project);
  expect(body.settings.allowedOrigins).toEqual(['https://shop.example.com', 'http://localhost:5173']);
  await setOrigins([]);
});

it('gatehouse init writes the same code as the quick starts', async () => {
  const readWritten = async (name: NewProject) => {
    const folder = await createProject(name);
    await init(folder, ['--yes']);
    return readFiles(folder);
  };
  const nextjs = await readWritten('nextjs');
  const blocks = await codeBlocks('docs/quick-starts/nextjs.md');
  const same = [
    'proxy.ts',
    'app/api/gatehouse/[...path]/route.ts',
    'app/sign-in/page.tsx',
    'app/account.tsx',
  ];
  expect(same.map((path) => nextjs[path])).toEqual(same.map((path) => blocks.get(path)));
  const orders = blocks.get('app/orders/page.tsx')!;
  expect(nextjs['app/orders/page.tsx']).toBe(orders.replace(/^.*PayButton.*\n/gm, ''));

  const snippets: [NewProject, string, string, string, RegExp][] = [
    ['vite', 'src/gatehouse.tsx', 'react', 'main.jsx', /^const client = .*?^\}\);$/ms],
    ['vite', 'src/gatehouse.tsx', 'react', 'main.jsx', /<GatehouseProvider client.*?<SignedIn>$/ms],
    ['express', 'gatehouse.js', 'react', 'server.mjs', /^const gatehouse = .*?^\}\);$/ms],
    ['express', 'gatehouse.js', 'express', 'app.mjs', /get\('\/orders'.*?^\}\);$/ms],
    ['nestjs', 'src/gatehouse.module.ts', 'nestjs', 'app.ts', /@Get\('orders'\).*?^ {2}\}$/ms],
  ];
  for (const [name, path, document, block, pattern] of snippets) {
    const [code] = pattern.exec((await readWritten(name))[path]!)!;
    const quickStart = (await codeBlocks(`docs/quick-starts/${document}.md`)).get(block)!;
    expect(withoutIndent(quickStart)).toContain(withoutIndent(code));
  }
});

const withoutIndent = (code: string): string => code.replace(/^ +/gm, '');
