import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { run } from '../../scripts/processes.mjs';
import { describeBrowser, TestBrowser } from '../support/browser.js';
import { runCli } from '../support/cli.js';
import { waitUntilListening } from '../support/listening-program.js';
import { packAll } from '../support/packages/pack-all.js';
import { freePort } from '../support/server-process.mjs';
import { bearerHeader, PASSWORD, TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

const MODULES = join(process.cwd(), 'node_modules');
/** The generator that `nest new` runs. Unlike `nest new`, it has an option for each module system. */
const NEST = [
  process.execPath,
  join(MODULES, '@angular-devkit', 'schematics-cli', 'bin', 'schematics.js'),
  `${join(MODULES, '@nestjs', 'schematics')}:application`,
  '--no-dry-run',
  '--package-manager=npm',
  '--observe=false',
];

/** The environment of npm and the apps, without the settings that Jest adds for Node.js. */
const env = {
  ...process.env,
  NODE_OPTIONS: '',
  NODE_ENV: undefined,
  npm_config_yes: 'true',
  npm_config_update_notifier: 'false',
  NEXT_TELEMETRY_DISABLED: '1',
};

let instance: TestInstance;
let folder: string;
let hasRegistry: boolean;
const stops: (() => void)[] = [];
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-new-'));
  const { code, output } = await run('npm', ['view', 'create-vite', 'version'], { env, cwd: folder });
  hasRegistry = code === 0;
  if (hasRegistry) await packAll(folder);
  else
    process.stderr.write(
      `gatehouse init is not tested in generated projects: ${output.trim().split('\n').at(-1)}\n`,
    );
});
afterAll(async () => {
  for (const stop of stops) stop();
  if (folder) await rm(folder, { recursive: true, force: true });
  await instance?.stop();
});

/**
 * Generates a project, runs `init` in it, and returns its folder. @throws Error with a failing program's output
 */
async function createApp(name: string, generator: string[]): Promise<string> {
  const [program, ...args] = generator;
  process.stderr.write(`Generating ${name} and installing its packages\n`);
  const generated = await run(program!, args, { env, cwd: folder });
  if (generated.code !== 0) throw new Error(generated.output);
  const cwd = join(folder, name);
  const { code, stdout, stderr } = await runCli(instance, ['init', '--yes', '--packages', folder], {
    cwd,
    env,
  });
  if (code !== 0) throw new Error(stdout + stderr);
  return cwd;
}

/** Builds an app, because a development server would compile each page while the browser waits. */
async function build(cwd: string): Promise<void> {
  const { code, output } = await run('npm', ['run', 'build'], { env, cwd });
  if (code !== 0) throw new Error(output);
}

/** Starts an app's server. @returns its URL */
async function start(cwd: string, [program, ...args]: string[], port: string): Promise<string> {
  const url = `http://localhost:${port}`;
  const child = spawn(program!, args, {
    cwd,
    env: { ...env, PORT: port },
    // The process group includes the server, which npm starts as another process.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  stops.push(() => child.exitCode === null && process.kill(-child.pid!, 'SIGKILL'));
  await waitUntilListening(args.join(' '), child, url);
  return url;
}

describeBrowser('a generated app', () => {
  let browser: TestBrowser;
  beforeAll(async () => (browser = await TestBrowser.startShared()));
  afterAll(async () => browser?.close());

  const signUp = async (page: Page, email: string): Promise<void> => {
    const create = page.getByRole('button', { name: 'Create account', exact: true });
    await create.click();
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await create.click();
  };

  it('signs a customer up, out and in with Vite', async () => {
    if (!hasRegistry) return;
    const generator = 'npm create vite@latest vite -- --template react-ts --no-interactive';
    const cwd = await createApp('vite', generator.split(' '));
    const port = String(await freePort());
    await build(cwd);
    const url = await start(cwd, ['npm', 'run', 'preview', '--', '--port', port, '--strictPort'], port);
    const page = await browser.open(url);
    const email = uniqueEmail();
    await signUp(page, email);
    await page.getByText(`Signed in as ${email}`).waitFor();
    await page.getByRole('heading', { name: 'Get started' }).waitFor();

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText(`Signed in as ${email}`).waitFor();
  });

  it('redirects from a protected page to the sign-in page and back with Next.js', async () => {
    if (!hasRegistry) return;
    const generator = `npx create-next-app@latest nextjs --yes --use-npm --disable-git --skip-install --empty
      --ts --app --no-tailwind --no-eslint --no-src-dir`;
    const cwd = await createApp('nextjs', generator.split(/\s+/));
    const port = String(await freePort());
    await build(cwd);
    const url = await start(cwd, ['npm', 'run', 'start', '--', '--port', port], port);
    const page = await browser.open(`${url}/orders`);
    const email = uniqueEmail();
    await signUp(page, email);
    await page.getByText(`Signed in as ${email}`).waitFor();
    expect(new URL(page.url()).pathname).toBe('/orders');
  });
});

it.each([
  ['express', ['npx', 'express-generator@latest', '--no-view', 'express']],
  ['esm', [...NEST, '--name=esm', '--type=esm']],
  ['cjs', [...NEST, '--name=cjs', '--type=cjs']],
])('gatehouse init protects the route of a generated server (%s)', async (name, generator) => {
  if (!hasRegistry) return;
  const cwd = await createApp(name, generator);
  const url = await start(cwd, ['npm', 'start'], String(await freePort()));
  const { body } = await instance.register();
  const signedIn = await fetch(`${url}/orders`, { headers: bearerHeader(body.tokens.accessToken) });
  expect(await signedIn.json()).toEqual({ customerId: body.customer.id, orders: [] });
  expect((await fetch(`${url}/orders`)).status).toBe(401);
  expect(await readFile(join(cwd, '.gitignore'), 'utf8')).toMatch(/^\.env$/m);
});
