import fs from 'node:fs';
import path from 'node:path';
import { ensureInstalled, ensurePackagesBuilt } from './build.mjs';
import { ScriptError, main } from './environment.mjs';
import { ensureExampleInstalled, exampleFolder, listExamples } from './examples.mjs';
import { runNpm } from './processes.mjs';

const report = process.stdout;

/**
 * Adapts the project from the first start to an example's needs, and runs the example's `start` script. The
 * field `gatehouse` in the example's package.json declares what it needs:
 * @typedef {object} ExampleNeeds
 * @property {number} [port] default port, unless PORT is set
 * @property {string} [webhookPath] path that receives webhooks
 * @property {string[]} [redirectPaths] paths where sign-ins end
 * @property {string[]} [redirectUrls] URLs where sign-ins of an app end
 * @property {object} [settings] other project settings
 */
await main(async () => {
  const name = process.argv[2];
  if (!listExamples().includes(name))
    throw new ScriptError(`Name an example: ${listExamples().join(', ')}. Usage: npm run example -- nestjs`);
  const folder = exampleFolder(name);
  const manifest = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
  await ensureInstalled(report);
  await ensurePackagesBuilt(report);
  await ensureExampleInstalled(name, report);

  const credentials = readCredentials();
  const { port: defaultPort, ...needs } = manifest.gatehouse ?? {};
  const port = process.env.PORT || defaultPort;
  const url = `http://localhost:${port}`;
  await prepareProject(credentials, url, needs);
  const env = {
    ...process.env,
    ...(port && { PORT: String(port) }),
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
  };
  // Ctrl-C reaches the example directly.
  process.on('SIGINT', () => {});
  const { code } = await runNpm(['run', '--silent', 'start'], { cwd: folder, stdio: 'inherit', env });
  return code;
});

function dataDir() {
  return path.resolve(process.env.DATA_DIR?.trim() || '.data');
}

/** @throws ScriptError if Gatehouse has never been started in the data directory */
function readCredentials() {
  const file = path.join(dataDir(), 'credentials.json');
  if (!fs.existsSync(file)) throw new ScriptError(`${file} does not exist. Start Gatehouse first: npm start`);
  return JSON.parse(fs.readFileSync(file, 'utf8'));
}

/** Adds an example's redirect URLs and settings to the project. */
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
 * Returns the signing secret of the webhook endpoint for an example. Creates the endpoint on the first start, and
 * stores its secret in the data directory, because Gatehouse returns it only once.
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
