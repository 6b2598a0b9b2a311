import { PassThrough } from 'node:stream';
import { printTable, type Column } from './table.js';

interface Row {
  id: string;
  email: string;
  name: string | null;
}

const rows: Row[] = [
  { id: 'id-1', email: 'ada.lovelace@example.com', name: 'Ada \u001b[31mLovelace' },
  { id: 'id-22', email: 'b@example.com', name: null },
];
const columns: Column<Row>[] = [
  { title: 'Id', value: ({ id }) => id, isFixed: true },
  { title: 'Email', value: ({ email }) => email, style: () => 'green' },
  { title: 'Name', value: ({ name }) => name },
];

/** Returns the output for a table. @param width the terminal width; undefined if there is none */
async function print(shown: Row[], width?: number, env: Record<string, string> = {}, layout = columns) {
  const terminal = width === undefined ? {} : { isTTY: true, columns: width };
  const stream = (): PassThrough => Object.assign(new PassThrough().setEncoding('utf8'), terminal);
  const [stdout, stderr] = [stream(), stream()];
  const printer = { env, stdout, stderr, signal: new AbortController().signal };
  await printTable(printer, layout, shown, 'No rows');
  return {
    lines: String(stdout.read() ?? '').split('\n'),
    note: String(stderr.read() ?? ''),
  };
}

const withoutColors = { NO_COLOR: '1' };

it('prints a table to a pipe without colors, and as wide as its values', async () => {
  expect((await print(rows)).lines).toEqual([
    'Id     Email                     Name',
    'id-1   ada.lovelace@example.com  Ada [U+001B][31mLovelace',
    'id-22  b@example.com             -',
    '',
  ]);
});

it('shortens the widest columns to fit the terminal, but never fixed ones', async () => {
  const { lines } = await print(rows, 40, withoutColors);
  expect(lines).toEqual([
    'Id     Email            Name',
    'id-1   ada.lovelace@e…  Ada [U+001B][31…',
    'id-22  b@example.com    -',
    '',
  ]);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40);
});

it('leaves out optional columns before it shortens others', async () => {
  const [id, email, name] = columns as [Column<Row>, Column<Row>, Column<Row>];
  const changed = [id, { ...email, isOptional: true }, { ...name, isOptional: true }];
  expect((await print(rows, 40, withoutColors, changed)).lines).toEqual([
    'Id     Email',
    'id-1   ada.lovelace@example.com',
    'id-22  b@example.com',
    '',
  ]);
});

it('prints records if the terminal is too narrow', async () => {
  expect((await print(rows, 20, withoutColors)).lines).toEqual([
    'Id:    id-1',
    'Email: ada.lovelace@example.com',
    'Name:  Ada [U+001B][31mLovelace',
    '',
    'Id:    id-22',
    'Email: b@example.com',
    'Name:  -',
    '',
  ]);
});

it('uses colors on a terminal, without changing the widths', async () => {
  const { lines } = await print(rows, 80);
  expect(lines[2]).toBe('id-22  \u001b[32mb@example.com\u001b[0m             -');
  expect((await print(rows, 80, { TERM: 'dumb' })).lines.join('')).not.toContain('\u001b');
});

it('prints a note to stderr if there are no rows', async () => {
  expect(await print([])).toEqual({ lines: [''], note: 'No rows\n' });
});
