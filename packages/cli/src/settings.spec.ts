import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings, type SettingFlags } from './settings.js';

const URL_A = 'https://a.example.com';
const URL_B = 'http://127.0.0.1:3000';
const [KEY_A, KEY_B] = ['A', 'B'].map((letter) => `sk_${letter.repeat(12)}`) as [string, string];
const PROJECT = '019aa2c0-7d1e-7000-8000-000000000000';

let cwd: string;
beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), 'gatehouse-settings-'))));
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const write = (name: string, text: string): void => writeFileSync(join(cwd, name), text);
const read = (env: Record<string, string>, flags: SettingFlags = {}) => readSettings({ env, cwd }, flags);

/** Returns the error's message and fix. */
function readError(env: Record<string, string>, flags: SettingFlags = {}): string {
  try {
    read(env, flags);
    return 'no error';
  } catch (error) {
    expect(error).toMatchObject({ name: 'CliError', exitCode: 2 });
    return `${(error as Error).message} ${(error as { fix: string | null }).fix}`;
  }
}

it('reads settings from flags, then the environment, then .env.local, then .env', () => {
  write(
    '.env',
    `GATEHOUSE_URL=${URL_A}/\nGATEHOUSE_SECRET_KEY="${KEY_A}"\nGATEHOUSE_PROJECT_ID=${PROJECT}\n`,
  );
  expect(read({})).toEqual({ url: URL_A, secretKey: KEY_A, projectId: PROJECT });
  write('.env.local', `GATEHOUSE_SECRET_KEY=${KEY_B}\n`);
  expect(read({})).toMatchObject({ url: URL_A, secretKey: KEY_B });
  expect(read({ GATEHOUSE_URL: URL_B, GATEHOUSE_PROJECT_ID: '' })).toEqual({ url: URL_B, secretKey: KEY_B });
  write('key', `${KEY_A}\n`);
  const flags = { url: `${URL_B}/`, keyFile: 'key', project: PROJECT };
  expect(read({ GATEHOUSE_URL: URL_A, GATEHOUSE_SECRET_KEY: KEY_B }, flags)).toEqual({
    url: URL_B,
    secretKey: KEY_A,
    projectId: PROJECT,
  });
});

it('never sends a key from the environment to a URL from the working directory', () => {
  write('.env', `GATEHOUSE_URL=${URL_A}\n`);
  expect(readError({ GATEHOUSE_SECRET_KEY: KEY_A })).toContain('wrong server');
  write('key', KEY_A);
  expect(readError({}, { keyFile: 'key' })).toContain('wrong server');
  expect(read({ GATEHOUSE_SECRET_KEY: KEY_A }, { url: URL_A })).toEqual({ url: URL_A, secretKey: KEY_A });
});

it('rejects missing and invalid settings with a fix, and never prints invalid ones', () => {
  const valid = { GATEHOUSE_URL: URL_A, GATEHOUSE_SECRET_KEY: KEY_A };
  const cases: [Record<string, string>, SettingFlags, string][] = [
    [{ GATEHOUSE_SECRET_KEY: KEY_A }, {}, 'GATEHOUSE_URL is not set'],
    [{ GATEHOUSE_URL: URL_A }, {}, 'GATEHOUSE_SECRET_KEY is not set'],
    [{ ...valid, GATEHOUSE_URL: 'https://ada:Xq7@a.example.com' }, {}, 'Gatehouse URL is invalid'],
    [{ ...valid, GATEHOUSE_URL: 'a.example.com' }, {}, 'Gatehouse URL is invalid'],
    [valid, { url: 'ftp://a.example.com' }, 'Gatehouse URL is invalid'],
    [valid, { url: `${URL_A}/?key=Xq7` }, 'Gatehouse URL is invalid'],
    [{ ...valid, GATEHOUSE_SECRET_KEY: 'pk_Xq7' }, {}, 'publishable key'],
    [{ ...valid, GATEHOUSE_SECRET_KEY: 'sk_Xq7\nx' }, {}, 'secret key is invalid'],
    [valid, { keyFile: 'missing' }, 'Cannot read the key file'],
    [valid, { project: 'shop' }, 'project id is invalid'],
  ];
  const found = cases.map(([env, flags]) => readError(env, flags));
  expect(found).toEqual(cases.map(([, , message]) => expect.stringContaining(message)));
  expect(found.join()).not.toContain('Xq7');
});
