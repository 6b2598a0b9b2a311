import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { deriveImportId } from './import-id.js';
import { readColumns, readCsv, readJson, readObjects, type FileRecord, type Row } from './read-files.js';
import { isProbablyUtf8, setEncoding } from './read-text.js';

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'gatehouse-csv-'))));
afterAll(() => rmSync(folder, { recursive: true }));

function write(content: string | Buffer, name = 'users.csv'): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

async function read(file: string): Promise<[position: string, row: Row][]> {
  const records: FileRecord<Row>[] = [];
  for await (const record of readCsv(file)) records.push(record);
  return records.map(({ position, value }) => [position.split(':')[1]!, value]);
}

it('returns an empty row if the number of cells is wrong, and reads the next rows', async () => {
  expect(await read(write('id,note\n2,a,b\n3\n4,c\n'))).toEqual([
    ['2', {}],
    ['3', {}],
    ['4', { id: '4', note: 'c' }],
  ]);
});

it('yields the rows before a misplaced quote, and then throws', async () => {
  const found: Row[] = [];
  const file = write('id,note\n1,a\n2,"a"b\n3,"c"\n');
  const reading = (async () => {
    for await (const { value } of readCsv(file)) found.push(value);
  })();
  await expect(reading).rejects.toThrow(
    `${file} cannot be read: the row on line 3 has a misplaced or unclosed quote`,
  );
  expect(found).toEqual([{ id: '1', note: 'a' }]);
});

it('returns column names that are quoted in the header', async () => {
  const header = 'id;"note, private";"the ""rest"""\n';
  expect(await readColumns(write(header))).toEqual(['id', 'note, private', 'the "rest"']);
});

it.each<[boolean, string, string | Buffer]>([
  [true, 'UTF-8', 'id,name\n1,Jos\u00e9\n'],
  [true, 'UTF-8 with a character in two chunks', `${'a'.repeat(256 * 1024 - 1)}\u00e9`],
  [false, 'ASCII', 'id,name\n1,Ada\n'],
  [false, 'Windows-1252', Buffer.from('id,name\n1,Jos\xe9\n', 'latin1')],
  [false, 'UTF-8 that is cut off', Buffer.from('\u00e9\u00e9').subarray(0, 3)],
  [false, 'a byte order mark, which overrides the option', '\ufeffid,name\n1,Jos\u00e9\n'],
  [false, 'no text', ''],
])('returns %s from isProbablyUtf8 for %s', async (expected, _, content) =>
  expect(await isProbablyUtf8(write(content))).toBe(expected),
);

describe('a file that is not UTF-8', () => {
  const latin = (text: string): Buffer => Buffer.from(text, 'latin1');
  const readers = {
    'users.csv': (file: string) => readCsv(file),
    'users.csv.gz': (file: string) => readCsv(file),
    'users.ndjson': (file: string) => readObjects(file),
    'users.json': (file: string) => readObjects(file),
    'realm.json': (file: string) => readJson(file, '$.users.*'),
  };
  const contents: Record<keyof typeof readers, string> = {
    'users.csv': 'id,name\n1,Ada\n2,Jos\xe9\n',
    'users.csv.gz': 'id,name\n1,Ada\n2,Jos\xe9\n',
    'users.ndjson': '{"id":"1"}\n\n{"id":"2","name":"Jos\xe9"}\n',
    'users.json': '[{"id":"1"},\n\n{"id":"2","name":"Jos\xe9"}]',
    'realm.json': '{"users":[\n{"id":"1"},\n{"id":"2","name":"Jos\xe9"}]}',
  };
  const names = Object.keys(readers) as (keyof typeof readers)[];

  it.each(names)(
    'throws an error with the line and the fix, and is read with --encoding: %s',
    async (name) => {
      const bytes = latin(contents[name]);
      const file = write(name.endsWith('.gz') ? gzipSync(bytes) : bytes, name);
      const readAll = async (): Promise<unknown[]> => {
        const values: unknown[] = [];
        for await (const { value } of readers[name](file)) values.push(value);
        return values;
      };
      await expect(readAll()).rejects.toMatchObject({
        message: `${file} cannot be read: line 3 is not UTF-8`,
        fix: expect.stringContaining('--encoding windows-1252'),
        exitCode: 2,
      });
      await expect(deriveImportId([file], [])).rejects.toMatchObject({ exitCode: 2 });
      setEncoding(file, 'windows-1252');
      expect((await readAll()).at(-1)).toEqual({ id: '2', name: 'José' });
      setEncoding(file, 'utf-8');
    },
  );

  it.each(names)('detects UTF-16 without --encoding: %s', async (name) => {
    const bytes = Buffer.from(`\ufeff${contents[name]}`, 'utf16le');
    const file = write(name.endsWith('.gz') ? gzipSync(bytes) : bytes, name);
    const values: unknown[] = [];
    for await (const { value } of readers[name](file)) values.push(value);
    expect(values.at(-1)).toEqual({ id: '2', name: 'José' });
  });
});

it('reads files of any size, including compressed ones', async () => {
  // The rows differ in length, so that chunks end in every part of a row.
  const notes = Array.from({ length: 20_000 }, (_, index) => `${'ö€😀'.repeat(index % 13)}, "${index}"\n`);
  const rows = notes.map((note, index) => `${index},"${note.replaceAll('"', '""')}"\n`);
  const content = `id,note\n${rows.join('')}`;
  for (const file of [write(content), write(gzipSync(content), 'users.csv.gz')]) {
    const found = await read(file);
    expect(found.map(([, { note }]) => note)).toEqual(notes);
    expect(found.map(([line]) => Number(line))).toEqual(notes.map((_, index) => 2 + 2 * index));
  }
});
