import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { run } from '../../scripts/processes.mjs';
import { describeBrowser } from '../support/browser.js';
import { codeBlocks } from '../support/code-blocks.js';
import { chromiumOptions } from '../support/shared-browser.mjs';
import { insertKey } from '../support/tenants.js';
import { TestInstance } from '../support/test-instance.js';

/** The packages that the test project installs, by name. */
const PACKAGES = {
  '@gatehouse/js': 'packages/js',
  '@gatehouse/testing': 'packages/testing',
  '@playwright/test': 'node_modules/@playwright/test',
};
const SCRIPTS = existsSync(join(PACKAGES['@gatehouse/js'], 'dist'))
  ? join(PACKAGES['@gatehouse/js'], 'dist')
  : PACKAGES['@gatehouse/js'];

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

describeBrowser('the Playwright fixtures', () => {
  let project: string;
  let shop: Server;
  beforeAll(async () => {
    shop = await startShop();
    project = await mkdtemp(join(tmpdir(), 'gatehouse-playwright-'));
    for (const [name, folder] of Object.entries(PACKAGES)) {
      await mkdir(join(project, 'node_modules', name, '..'), { recursive: true });
      await symlink(resolve(folder), join(project, 'node_modules', name));
    }
    await writeFile(join(project, 'package.json'), '{ "type": "module" }');
    const { port } = shop.address() as AddressInfo;
    // The timeouts only end hung tests, so they are much longer than a test takes.
    const config = {
      reporter: 'json',
      timeout: 300_000,
      expect: { timeout: 120_000 },
      use: { baseURL: `http://localhost:${port}`, launchOptions: chromiumOptions },
    };
    await writeFile(join(project, 'playwright.config.js'), `export default ${JSON.stringify(config)};`);
    for (const [name, code] of await codeBlocks('packages/testing/README.md'))
      await writeFile(join(project, name), code);
  });
  afterAll(async () => {
    shop?.closeAllConnections();
    shop?.close();
    if (project) await rm(project, { recursive: true, force: true });
  });

  /** Starts an application that shows the email address from localStorage. */
  async function startShop(): Promise<Server> {
    const { baseUrl, credentials } = instance;
    const options = JSON.stringify({ url: baseUrl, publishableKey: credentials.publishableKey });
    const page = `<!doctype html><title>Shop</title><p id="state"></p><script type="module">
      import { createClient, localStorageStorage } from '/js/index.js';
      const client = createClient({ ...${options}, storage: localStorageStorage() });
      const isSignedIn = (await client.getAccessToken()) !== null;
      const text = isSignedIn ? 'Signed in as ' + (await client.customer.get()).email : 'Signed out';
      document.getElementById('state').textContent = text;
    </script>`;
    const server = createServer((request, response) => {
      const [, script] = /^\/js\/([\w-]+\.js)$/.exec(request.url!) ?? [];
      response.setHeader('content-type', script ? 'text/javascript' : 'text/html');
      if (!script) response.end(page);
      else void readFile(join(SCRIPTS, script)).then((code) => response.end(code));
    }).listen(0, 'localhost');
    await once(server, 'listening');
    return server;
  }

  /** Runs the project's tests. @returns each test's status by title */
  async function runPlaywright(): Promise<Record<string, string>> {
    const { baseUrl, credentials } = instance;
    const scopes = ['customer:write', 'customer:delete', 'customer:impersonate'];
    const { code, output } = await run(process.execPath, ['node_modules/@playwright/test/cli.js', 'test'], {
      cwd: project,
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        // Playwright refuses to start in a process with the calling test's JEST_WORKER_ID.
        JEST_WORKER_ID: undefined,
        GATEHOUSE_URL: baseUrl,
        GATEHOUSE_SECRET_KEY: await insertKey(instance, { ...credentials, type: 'secret', scopes }),
        GATEHOUSE_PUBLISHABLE_KEY: credentials.publishableKey,
      },
    });
    if (code !== 0) throw new Error(output);
    const { suites } = JSON.parse(output) as { suites: { specs: { title: string; ok: boolean }[] }[] };
    const specs = suites.flatMap((suite) => suite.specs);
    return Object.fromEntries(specs.map(({ title, ok }) => [title, ok ? 'passed' : 'failed']));
  }

  it('run the README tests with signed-in customers, and delete the customers', async () => {
    expect(await runPlaywright()).toEqual({
      'shows the email address of the customer': 'passed',
      'shows another customer after the second sign-in': 'passed',
    });
    expect(await instance.sql(`SELECT id FROM customers WHERE first_name IN ('Ada', 'Grace')`)).toEqual([]);
  });
});
