import { execFile, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { codeBlocks, shellBlock } from '../support/code-blocks.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/server-process.mjs';
import { TestInstance } from '../support/test-instance.js';
import { parseNdjson, toNdjson } from '../support/ndjson.js';

let instance: TestInstance;
let folder: string;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-imports-'));
});
afterAll(async () => {
  await instance?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Runs code blocks of docs/imports.md in sequence and returns their output. */
async function runBlocks(blocks: string[], env: Record<string, string> = {}): Promise<string> {
  const { credentials, baseUrl } = instance;
  const script = await Promise.all(
    ['settings', ...blocks].map((name) => shellBlock('docs/imports.md', name)),
  );
  const { stdout } = await promisify(execFile)('bash', ['-e', '-c', script.join('\n')], {
    cwd: folder,
    env: {
      PATH: process.env['PATH']!,
      GATEHOUSE_URL: baseUrl,
      GATEHOUSE_SECRET_KEY: credentials.projectSecretKey,
      GATEHOUSE_ORGANIZATION_KEY: credentials.secretKey,
      PROJECT_ID: credentials.projectId,
      ...env,
    },
  });
  return stdout;
}

it('the documented commands import a list', async () => {
  expect(JSON.parse(await runBlocks(['list']))).toMatchObject({
    state: 'completed',
    created: 1,
    failed: 1,
    results: [
      { index: 0, status: 'created' },
      { index: 1, status: 'failed', errors: [{ message: 'email must be an email address' }] },
    ],
  });
});

it('the documented commands import lines, report the progress, and update and export customers', async () => {
  const importId = randomUUID();
  const emails = Array.from({ length: 30 }, () => `${randomUUID()}@example.com`);
  const customers = emails.map((email) => ({ email, externalId: email }));
  await writeFile(join(folder, 'customers.ndjson'), toNdjson(customers));
  const imported = await runBlocks(['lines'], { IMPORT_ID: importId });
  expect(JSON.parse(imported)).toMatchObject({ id: importId, state: 'completed', created: 30 });
  const progress = await runBlocks(['progress'], { IMPORT_ID: importId });
  expect(JSON.parse(progress)).toEqual(JSON.parse(imported));
  expect(JSON.parse(await runBlocks(['update']))).toMatchObject({ updated: 0, skipped: 30, unchanged: 30 });
  await runBlocks(['export']);
  const lines = parseNdjson(await readFile(join(folder, 'customers.ndjson'), 'utf8'));
  expect(lines.map(({ email }) => email)).toEqual(expect.arrayContaining(emails));
});

it('a customer moves with the documented command and receiver, which rejects unsigned requests', async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const output = await runBlocks(['legacy'], { LEGACY_URL: url, LEGACY_SECRET: secret });
  expect(JSON.parse(output).settings.legacySignIn).toEqual({ url });
  await symlink(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'), 'junction');
  const code = (await codeBlocks('docs/imports.md')).get('sign-in-receiver.mjs')!;
  await writeFile(join(folder, 'sign-in-receiver.mjs'), code);
  const env = { PATH: process.env['PATH'], LEGACY_SECRET: secret, PORT: String(port) };
  const receiver = spawn(process.execPath, ['sign-in-receiver.mjs'], { cwd: folder, env, stdio: 'ignore' });
  try {
    const post = () => fetch(url, { method: 'POST', body: '{}' }).catch(() => null);
    expect(await eventually('the receiver', post)).toMatchObject({ status: 400 });
    expect((await instance.login('grace@example.com', 'wrong')).status).toBe(401);
    expect(await instance.login('grace@example.com', 'hopper')).toMatchObject({
      status: 200,
      body: { customer: { firstName: 'Grace', emailVerified: true } },
    });
  } finally {
    receiver.kill();
  }
});
