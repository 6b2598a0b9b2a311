import fs from 'node:fs';
import path from 'node:path';
import { ensureInstalled, ensurePackagesBuilt } from './build.mjs';
import { ScriptError, main, root, step } from './environment.mjs';
import { run } from './processes.mjs';

const FOLDER = path.join(root, 'examples');
const report = process.stdout;

/**
 * Prepares the project of the first start for an example, and runs its script `start`. The field `gatehouse` of the
 * package.json of an example declares what it needs:
 * @typedef {object} ExampleNeeds
 * @property {number} [port] where it listens unless PORT is set
 * @property {string} [webhookPath] where it receives webhooks
 * @property {string[]} [redirectPaths] where sign-ins end
 * @property {string[]} [redirectUrls] where sign-ins of an app end
 * @property {object} [settings] other settings of the project
 */
await main(async () => {
  const name = process.argv[2];
  const folder = path.join(FOLDER, name ?? '');
  if (!listExamples().includes(name))
    throw new ScriptError(`Name an example: ${listExamples().join(', ')}. Usage: npm run example -- nestjs`);
  const manifest = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
  await ensureInstalled(report);
  await ensurePackagesBuilt(report);
  if (fs.existsSync(path.join(folder, 'package-lock.json'))) await ensureInstalledIn(folder);

  const credentials = readCredentials();
  const { port, ...needs } = manifest.gatehouse ?? {};
  const url = `http://localhost:${process.env.PORT || port}`;
  await prepareProject(credentials, url, needs);
  const { code } = await npm(['run', '--silent', 'start'], folder, {
    PORT: process.env.PORT || String(port),
    GATEHOUSE_URL: credentials.baseUrl,
    GATEHOUSE_PROJECT_ID: credentials.projectId,
    GATEHOUSE_PUBLISHABLE_KEY: credentials.publishableKey,
    GATEHOUSE_SECRET_KEY: credentials.projectSecretKey,
    ...(needs.webhookPath && {
      WEBHOOK_SECRET: await ensureEndpoint(
        credentials,
        name,
        url.replace('localhost', '127.0.0.1') + needs.webhookPath,
      ),
    }),
  });
  return code ?? 0;
});

function listExamples() {
  return fs.readdirSync(FOLDER).filter((name) => fs.existsSync(path.join(FOLDER, name, 'package.json')));
}

function dataDir() {
  return path.resolve(process.env.DATA_DIR?.trim() || '.data');
}

/** @throws ScriptError if Gatehouse has never been started in the data directory */
function readCredentials() {
  const file = path.join(dataDir(), 'credentials.json');
  if (!fs.existsSync(file)) throw new ScriptError(`${file} does not exist. Start Gatehouse first: npm start`);
  return JSON.parse(fs.readFileSync(file, 'utf8'));
}

/** Adds the redirect URLs and settings of an example to those of the project. */
async function prepareProject(
  { projectId, ...credentials },
  url,
  { redirectPaths = [], redirectUrls = [], settings },
) {
  const added = [...redirectPaths.map((each) => `${url}${each}`), ...redirectUrls];
  if (added.length === 0 && !settings) return;
  const project = `/api/v1/projects/${projectId}`;
  const { settings: current } = await request(credentials, 'GET', project);
  const patch = { ...settings, redirectUrls: [...new Set([...current.redirectUrls, ...added])] };
  await request(credentials, 'PATCH', project, { settings: patch });
  report.write(`  Settings of the project: ${JSON.stringify({ ...settings, redirectUrls: added })}\n`);
}

/**
 * Returns the signing secret of the webhook endpoint of an example. Creates the endpoint at the first start and keeps
 * its secret in the data directory, because Gatehouse returns it once.
 */
async function ensureEndpoint({ projectSecretKey, ...credentials }, name, url) {
  const file = path.join(dataDir(), 'examples', `${name}.json`);
  const known = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : undefined;
  const key = { ...credentials, secretKey: projectSecretKey };
  if (known?.url === url && (await exists(key, known.id))) return known.secret;
  const { data } = await request(key, 'POST', '/v1/webhooks/endpoints', { url, events: ['*'] });
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, JSON.stringify({ id: data.id, url, secret: data.secret }), { mode: 0o600 });
  report.write(`  Webhook endpoint: ${url}\n`);
  return data.secret;
}

function exists(credentials, id) {
  return request(credentials, 'GET', `/v1/webhooks/endpoints/${id}`).then(
    () => true,
    () => false,
  );
}

/** @throws ScriptError if Gatehouse is not running or rejects the request */
async function request({ baseUrl, secretKey }, method, target, body) {
  const response = await fetch(`${baseUrl}${target}`, {
    method,
    headers: { Authorization: `Bearer ${secretKey}`, 'Content-Type': 'application/json' },
    body: body && JSON.stringify(body),
  }).catch(() => {
    throw new ScriptError(`Gatehouse does not respond at ${baseUrl}. Start it first: npm start`);
  });
  const text = await response.text();
  if (!response.ok) throw new ScriptError(`${method} ${target}: status ${response.status}\n${text}`);
  return JSON.parse(text);
}

/** Installs the packages of an example that has a package-lock.json of its own, unless it was installed. */
async function ensureInstalledIn(folder) {
  const stamp = path.join(folder, 'node_modules', '.package-lock.json');
  const lock = path.join(folder, 'package-lock.json');
  if (fs.existsSync(stamp) && fs.statSync(stamp).mtimeMs >= fs.statSync(lock).mtimeMs) return;
  await step(report, 'Installing the packages of the example (may take minutes)', async () => {
    const { code, output } = await npm(
      ['ci', '--no-audit', '--no-fund', '--loglevel=error'],
      folder,
      {},
      'pipe',
    );
    if (code !== 0) throw new ScriptError(`${output}\nnpm ci exited with code ${code}.`);
  });
}

/** Runs npm in a folder. Ctrl-C reaches npm directly. */
function npm(args, cwd, env, stdio = 'inherit') {
  process.on('SIGINT', () => {});
  return run('npm', args, {
    cwd,
    stdio,
    env: { ...process.env, ...env },
    shell: process.platform === 'win32',
  });
}
