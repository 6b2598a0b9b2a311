import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readCsv, type FileRecord, type Row } from './read-files.js';

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

it.each(['\n', '\r\n'])(
  'reads cells with quotes, commas and lines, at the first line of their row: %j',
  async (end) => {
    const lines = ['\ufeffid,note', '1,"a ""b"", c"', '', `2,"one${end}two"`, '3,', '4,a "b" c'];
    for (const last of ['', end]) {
      expect(await read(write(lines.join(end) + last))).toEqual([
        ['2', { id: '1', note: 'a "b", c' }],
        ['4', { id: '2', note: `one${end}two` }],
        ['6', { id: '3', note: '' }],
        ['7', { id: '4', note: 'a "b" c' }],
      ]);
    }
  },
);

it('returns an empty row for one with another number of cells, and reads the next ones', async () => {
  expect(await read(write('id,note\n2,a,b\n3\n4,c\n'))).toEqual([
    ['2', {}],
    ['3', {}],
    ['4', { id: '4', note: 'c' }],
  ]);
});

it.each([
  ['2,"a"b', 'the row on line 3 has a misplaced or unclosed quote'],
  ['2,"not closed', 'the row on line 3 has a misplaced or unclosed quote'],
  [
    `2,"${'not closed\n'.repeat(200_000)}`,
    'the row on line 3 is longer than 1 MiB: perhaps a quote is not closed',
  ],
])(
  'fails at a row with a misplaced or unclosed quote, after the rows before it: %#',
  async (row, problem) => {
    const found: Row[] = [];
    const file = write(`id,note\n1,a\n${row}\n3,"c"\n`);
    const reading = (async () => {
      for await (const { value } of readCsv(file)) found.push(value);
    })();
    await expect(reading).rejects.toThrow(`${file} cannot be read: ${problem}`);
    expect(found).toEqual([{ id: '1', note: 'a' }]);
  },
);

it('reads files of any size, also compressed ones', async () => {
  // The rows differ in length, so that pieces of the file end in every part of a row.
  const notes = Array.from({ length: 20_000 }, (_, index) => `${'ö€😀'.repeat(index % 13)}, "${index}"\n`);
  const rows = notes.map((note, index) => `${index},"${note.replaceAll('"', '""')}"\n`);
  const content = `id,note\n${rows.join('')}`;
  for (const file of [write(content), write(gzipSync(content), 'users.csv.gz')]) {
    const found = await read(file);
    expect(found.map(([, { note }]) => note)).toEqual(notes);
    expect(found.map(([line]) => Number(line))).toEqual(notes.map((_, index) => 2 + 2 * index));
  }
});
