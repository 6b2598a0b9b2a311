import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TargetFolder } from './target-folder.js';
import type { TargetFile } from './target.js';

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'gatehouse-folder-'))));
afterAll(() => rmSync(folder, { recursive: true }));

const series: TargetFile = { name: 'users-#.json', head: '[', separator: ',', tail: ']' };
const table: TargetFile = { name: 'users.csv', head: 'id\n', separator: '', tail: '' };

async function writeAll(
  path: string,
  files: readonly TargetFile[],
  customers: readonly string[][][],
  force = false,
): Promise<string[]> {
  const output = new TargetFolder(path, files);
  await output.create(force);
  for (const records of customers) await output.write(records);
  return output.finish();
}

const readAll = (path: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(path)
      .sort()
      .map((name) => [name, readFileSync(join(path, name), 'utf8')]),
  );

it('starts a new file before the current one exceeds its size or record limit', async () => {
  const customers = ['"a"', '"é"', '"ccc"', '"d"'].map((record) => [[record]]);
  const bySize = join(folder, 'by-size');
  // "é" has two bytes.
  expect(await writeAll(bySize, [{ ...series, maxBytes: 9 }], customers)).toHaveLength(4);
  expect(await writeAll(bySize, [{ ...series, maxBytes: 10 }], customers, true)).toHaveLength(3);
  expect(readAll(bySize)).toEqual({
    ...{ 'users-0001.json': '["a","é"]', 'users-0002.json': '["ccc"]', 'users-0003.json': '["d"]' },
  });
  const byNumber = join(folder, 'by-number');
  await writeAll(byNumber, [{ ...series, maxRecords: 3 }], customers);
  expect(readAll(byNumber)).toEqual({
    ...{ 'users-0001.json': '["a","é","ccc"]', 'users-0002.json': '["d"]' },
  });
});

it('writes several files that only the owner can read, even without records', async () => {
  const path = join(folder, 'tables');
  await writeAll(path, [table, { ...table, name: 'factors.csv' }], [[['1\n'], []], [['2\n', '3\n']]]);
  expect(readAll(path)).toEqual({ 'factors.csv': 'id\n', 'users.csv': 'id\n1\n2\n3\n' });
  const modes = [path, join(path, 'users.csv')].map((name) => statSync(name).mode & 0o777);
  expect(modes).toEqual([0o700, 0o600]);
});

it('replaces only files from an earlier export, and only with force', async () => {
  const path = join(folder, 'used');
  const files = [{ ...series, maxRecords: 1 }];
  await writeAll(path, files, [[['1']], [['2']]]);
  writeFileSync(join(path, 'notes.txt'), 'mine');
  await expect(writeAll(path, files, [])).rejects.toMatchObject({ exitCode: 2 });
  await writeAll(path, files, [[['3']]], true);
  expect(readAll(path)).toEqual({ 'notes.txt': 'mine', 'users-0001.json': '[3]' });
  await expect(writeAll(join(path, 'notes.txt'), files, [])).rejects.toMatchObject({ exitCode: 2 });
});

it('renames files only when all are complete, and leaves nothing after a failure', async () => {
  const path = join(folder, 'failed');
  const output = new TargetFolder(path, [{ ...series, maxRecords: 1 }]);
  await output.create(false);
  expect([await output.write([['1']]), await output.write([['2']])]).toEqual([
    'users-0001.json',
    'users-0002.json',
  ]);
  expect(readdirSync(path)).toEqual(['users-0001.json.partial', 'users-0002.json.partial']);
  await output.discard();
  expect(readdirSync(folder)).not.toContain('failed');
});
