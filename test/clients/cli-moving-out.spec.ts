import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { argon2id } from 'hash-wasm';
import { parseLines, runCli, type CliResult } from '../support/cli.js';
import { expectStatus } from '../support/customers.js';
import { argon2 } from '../support/exported-users.js';
import { StandInProvider } from '../support/identity-providers/stand-in-provider.js';
import {
  createMovingCustomer,
  createTargetProject,
  signInEverywhere,
  writeFiles,
} from '../support/moving-in.js';
import type { SocialProject } from '../support/social-sign-in.js';
import { TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
let standIn: StandInProvider;
beforeAll(async () => {
  [instance, standIn] = await Promise.all([
    TestInstance.startShared({ workers: 0 }),
    StandInProvider.start(),
  ]);
});
afterAll(() => Promise.all([instance?.stop(), standIn?.stop()]));

/** Runs a command for a project with the organization's key. @returns its result and its JSON output */
async function run(
  project: SocialProject,
  cwd: string,
  ...args: string[]
): Promise<CliResult & { printed: Record<string, any> }> {
  const result = await runCli(instance, ['--json', 'customers', ...args], { cwd, env: envOf(project) });
  return { ...result, printed: parseLines(result.stdout)[0] ?? {} };
}

const envOf = (project: SocialProject): Record<string, string> => ({
  GATEHOUSE_SECRET_KEY: instance.credentials.secretKey,
  GATEHOUSE_PROJECT_ID: project.id,
});

/** Runs a command with output as text. @returns its stdout, with runs of spaces collapsed */
async function show(project: SocialProject, cwd: string, ...args: string[]): Promise<string> {
  const { stdout } = await runCli(instance, ['customers', ...args], { cwd, env: envOf(project) });
  return stdout.replaceAll(/ +/g, ' ');
}

const importList = async (project: SocialProject, customers: object[]): Promise<string[]> => {
  const response = await instance.requestWithSecretKey('POST', '/api/v1/customers/import', {
    ...{ projectId: project.id, customers },
  });
  return expectStatus(200, response).body.results.map(({ id }: { id: string }) => id);
};

it('customers move to another system and back with all data, and a comparison confirms it', async () => {
  const [before, after] = await Promise.all([
    createTargetProject(instance, standIn),
    createTargetProject(instance, standIn),
  ]);
  const ada = createMovingCustomer();
  const salt = randomBytes(16);
  const passwordHash = await argon2id({ password: ada.password, salt, ...argon2, outputType: 'encoded' });
  const bob = uniqueEmail();
  const ids = await importList(before, [
    {
      ...{ email: ada.email, emailVerified: true, passwordHash, totpSecret: ada.totpSecret },
      ...{ metadata: { plan: 'pro' }, identities: [{ provider: 'google', subject: ada.subject }] },
    },
    { email: bob, firstName: 'Bob', disabledAt: '2024-01-02T03:04:05.000Z' },
  ]);
  const folder = await writeFiles({});

  const exported = await run(
    before,
    folder,
    'export',
    'out',
    '--to',
    'keycloak',
    '--report',
    'report.ndjson',
  );
  expect([exported.code, exported.stderr, exported.printed]).toMatchObject([
    1,
    '',
    { exported: 2, incomplete: 2, files: ['users-0001.json'] },
  ]);
  expect(await readdir(join(folder, 'out'))).toEqual(['users-0001.json']);
  const entries = parseLines(await readFile(join(folder, 'report.ndjson'), 'utf8'));
  expect(entries.map(({ email, result, field }) => [email, result, field])).toEqual([
    [ada.email, 'left_out', 'updatedAt'],
    [ada.email, 'changed', 'metadata'],
    [bob, 'left_out', 'updatedAt'],
    [bob, 'changed', 'disabledAt'],
  ]);
  const files = ['out/users-0001.json', '--from', 'keycloak'];
  const again = ['export', 'out', '--to', 'keycloak'];
  expect(await run(before, folder, ...again)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--force'),
  });
  expect(await show(before, folder, ...again, '--force')).toMatch(
    /Exported: 2\nWith values left out: 2\n[^]*left out 2 updatedAt/,
  );

  // Ids are unique across the installation, so the customers get new ones.
  expect(await run(after, folder, 'import', ...files)).toMatchObject({ code: 0, printed: { created: 2 } });
  const { withPassword, withProvider } = await signInEverywhere(instance, after, standIn, ada);
  expect(withPassword).toBe(withProvider);
  expect(await run(after, folder, 'compare', ...files, '--hashes')).toMatchObject({
    ...{ code: 0, stderr: '' },
    printed: { inFiles: 2, inGatehouse: 2, equal: 2, fields: [], reasons: [] },
  });

  const customerPath = `/api/v1/customers?${new URLSearchParams({ projectId: after.id, email: bob })}`;
  const { id } = expectStatus(200, await instance.requestWithSecretKey('GET', customerPath)).body.data[0];
  await instance.requestWithSecretKey('POST', `/api/v1/customers/${id}/enable`);
  const [carol] = await importList(after, [{ email: uniqueEmail() }]);
  const compared = await run(after, folder, 'compare', ...files, '--report', 'differences.ndjson');
  expect([compared.code, compared.printed]).toMatchObject([
    1,
    {
      ...{ equal: 1, different: 1, onlyInFiles: 0, onlyInGatehouse: 1 },
      fields: [{ field: 'disabledAt', onlyInFiles: 1, examples: [ids[1]] }],
    },
  ]);
  expect(parseLines(await readFile(join(folder, 'differences.ndjson'), 'utf8'))).toMatchObject([
    { result: 'only_in_gatehouse', sourceId: carol, remedy: expect.any(String) },
    { result: 'different', field: 'disabledAt', position: 'users-0001.json#2', email: bob },
  ]);
  expect(await show(after, folder, 'compare', ...files)).toMatch(
    /Equal: 1\n[^]*Only in Gatehouse: 1\n[^]*disabledAt 1 0 0 [^]*only in Gatehouse 1 - The files contain no user/,
  );
});
