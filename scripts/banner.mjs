import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

/**
 * Prints the Gatehouse URLs and, outside production, the keys.
 * @param {NodeJS.WriteStream} report
 * @param {{ production: boolean, publicUrl: string, dataDir: string, redis: object | null, docs: boolean, console:
 *   boolean, http: { host: string, port: number } }} config
 * @param {number} seconds startup time
 * @param {boolean} isSeeded true if the keys in DATA_DIR belong to this database
 */
export function printBanner(report, config, seconds, isSeeded) {
  const url = localUrl(config.http);
  const rows = [
    ['API', url],
    ...(config.publicUrl === url ? [] : [['Public URL', config.publicUrl]]),
    ...(config.console ? [['Console', `${url}/console/`]] : []),
    ...(config.docs ? [['Reference', `${url}/docs`]] : []),
    ['Data directory', config.dataDir],
    ['Node.js', describeRuntime()],
    ['Deliveries', config.redis ? 'queued in Redis' : 'queued in PostgreSQL (REDIS_URL is not set)'],
  ];
  const keys = config.production || !isSeeded ? undefined : readCredentials(config.dataDir);
  if (keys) {
    rows.push(
      ['Organization', keys.organizationId],
      ['Project', keys.projectId],
      ['Secret key', `${keys.secretKey}  (organization)`],
      ['', `${keys.projectSecretKey}  (project)`],
      ['Publishable key', keys.publishableKey],
      ['Operator', `${keys.operator?.email}  ${keys.operator?.password}`],
    );
  }
  const lines = rows.map(([name, value]) => `  ${name.padEnd(16)} ${value}`);
  report.write(`\nGatehouse is ready (${seconds.toFixed(1)} s)\n\n${lines.join('\n')}\n`);
  if (keys) report.write(`\n  Register a customer:\n\n${registerCommand(url, keys.publishableKey)}\n`);
  report.write('\n  Press Ctrl-C to stop.\n\n');
}

/** Returns the Node.js version, and what an older one costs (docs/development/benchmarks.md). */
function describeRuntime() {
  const { node } = process.versions;
  return Number.parseInt(node, 10) < 24
    ? `${node} (Node.js 24 uses a third to half less CPU time per request)`
    : node;
}

/**
 * Returns the API's URL on this machine.
 * @param {{ host: string, port: number }} listener
 */
function localUrl({ host, port }) {
  const address = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

function readCredentials(dataDir) {
  const file = path.join(dataDir, 'credentials.json');
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : undefined;
}

/**
 * Returns a command that registers a customer. The email address is different at each start, so that the command always
 * works.
 */
function registerCommand(url, publishableKey) {
  const body = {
    email: `ada-${randomBytes(3).toString('hex')}@example.com`,
    password: 'correct lamp under the old bridge',
    firstName: 'Ada',
  };
  return [
    `curl -X POST ${url}/api/v1/auth/register \\`,
    `  -H 'x-publishable-key: ${publishableKey}' \\`,
    `  -H 'content-type: application/json' \\`,
    `  -d '${JSON.stringify(body)}'`,
  ].join('\n');
}
