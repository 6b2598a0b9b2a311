import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getSigningSecret } from './signing-secret.js';

const newSecret = (byte: number): string => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'gatehouse-cli-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const find = (projectId: string, more: { secret?: string; file?: string } = {}) => {
  const env = { XDG_CONFIG_HOME: folder, APPDATA: folder, GATEHOUSE_WEBHOOK_SECRET: more.secret };
  return getSigningSecret({ env, cwd: folder }, projectId, more.file);
};

it('generates one secret per project, in a file that only the user can read', async () => {
  const [first, again, other] = [await find('one'), await find('one'), await find('two')];
  expect(first).toEqual({
    secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/),
    source: join(folder, 'gatehouse/signing-secrets/one'),
    isGenerated: true,
  });
  expect(again).toEqual(first);
  expect(other.secret).not.toBe(first.secret);
  if (process.platform === 'win32') return;
  const modes = [first.source, join(folder, 'gatehouse')].map((path) =>
    (statSync(path).mode & 0o777).toString(8),
  );
  expect(modes).toEqual(['600', '700']);
});

it('uses the secret in a file or the environment, and never prints an invalid one', async () => {
  const [fromFile, fromEnv] = [newSecret(1), newSecret(2)];
  writeFileSync(join(folder, 'secret'), `${fromFile}\n`);
  expect(await find('one', { secret: fromEnv, file: 'secret' })).toEqual({
    secret: fromFile,
    source: join(folder, 'secret'),
    isGenerated: false,
  });
  expect(await find('one', { secret: fromEnv })).toMatchObject({
    secret: fromEnv,
    source: 'GATEHOUSE_WEBHOOK_SECRET',
  });
  const invalid = 'whsec_short';
  const error = await find('one', { secret: invalid }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ exitCode: 2, fix: expect.stringContaining('whsec_') });
  expect(String(error)).not.toContain(invalid);
  await expect(find('one', { file: 'missing' })).rejects.toMatchObject({ exitCode: 2 });
});
