import fc from 'fast-check';
import { decodeChunks } from './decode-text.js';
import { delimiters, parseCsv, type CsvRow, type Delimiter } from './parse-csv.js';

async function* pieces<T extends string | Uint8Array>(content: T, size: number): AsyncGenerator<T> {
  for (let start = 0; start < content.length; start += size) yield content.slice(start, start + size) as T;
  await Promise.resolve();
}

async function parse(
  texts: AsyncIterable<string>,
  delimiter?: Delimiter,
): Promise<{ columns: readonly string[]; delimiter: string | null; rows: CsvRow[] }> {
  const table = { columns: [] as readonly string[], delimiter: null as string | null, rows: [] as CsvRow[] };
  for await (const { columns, rows, ...group } of parseCsv(texts, delimiter)) {
    table.columns = columns;
    table.delimiter = group.delimiter;
    table.rows.push(...rows);
  }
  return table;
}

const parseText = (text: string) => parse(pieces(text, 7));

/** Returns a cell, in quotes if it would otherwise not be read as one cell. */
const quote = (cell: string): string => (/[",;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** Functions that encode a string with a byte order mark. */
const encoders: Record<string, (text: string) => Buffer> = {
  'utf-8': (text) => Buffer.from(`\ufeff${text}`),
  'utf-16le': (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  'utf-16be': (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
};

it('reads cells and line numbers of any table, in any encoding and chunk size', async () => {
  const cell = fc.string({
    unit: fc.constantFrom('a', ' ', ',', ';', '\t', '"', '\n', '\r\n', "'", 'é', '😀'),
  });
  const table = fc
    .integer({ min: 1, max: 3 })
    .chain((width) =>
      fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 5 }),
    );
  await fc.assert(
    fc.asyncProperty(
      table,
      fc.constantFrom(...delimiters),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      fc.constantFrom(...Object.keys(encoders)),
      fc.integer({ min: 1, max: 9 }),
      async (rows, delimiter, end, endsWithLine, encoding, size) => {
        const columns = rows[0]!.map((_, index) => `name ${index}, "x"`);
        const lines = [columns, ...rows].map((cells) => cells.map(quote).join(delimiter));
        const bytes = encoders[encoding]!(`${lines.join(end)}${endsWithLine ? end : ''}`);
        const expected: CsvRow[] = [];
        let line = 1;
        for (const [index, cells] of [columns, ...rows].entries()) {
          if (index > 0 && cells.some((text) => text !== '')) expected.push({ line, cells });
          line += lines[index]!.split('\n').length;
        }
        const texts = async function* (): AsyncGenerator<string> {
          for await (const { text } of decodeChunks(() => pieces(bytes, size), 'utf-8')) yield text;
        };
        const found = await parse(texts());
        expect(found.rows).toEqual(expected);
        expect(found.columns).toEqual(columns);
        if (columns.length > 1) expect(found.delimiter).toBe(delimiter);
      },
    ),
    { numRuns: 200 },
  );
});

it.each([
  ['a row with a wrong number of cells is null', 'a,b\n1\n1,2,3\n1,2', [null, null, ['1', '2']]],
  ['a row with an unquoted comma in a name is null', 'a,b\nx,Byron, Ada', [null]],
  ['a quote inside a cell is part of it', 'a,b\n1,x "y" z', [['1', 'x "y" z']]],
  ['spaces after a quote are omitted', 'a,b\n"1" ,"2" \n', [['1', '2']]],
  ['rows without a value are omitted', '\r\na,b\n\n,\n1,2\n,\n', [['1', '2']]],
  [
    'line ends may differ',
    'a,b\r\n1,2\n3,"4"\r\n5,6\r\n',
    [
      ['1', '2'],
      ['3', '4'],
      ['5', '6'],
    ],
  ],
  [
    'line ends may be CR',
    'a,b\r1,2\r\r3,4',
    [
      ['1', '2'],
      ['3', '4'],
    ],
  ],
  ['a decimal comma is not a delimiter', 'a;b\n1,5;2', [['1,5', '2']]],
  ['a delimiter in a quoted name is ignored', '"a;b;c",d\n1,2', [['1', '2']]],
  ['a file with only a header has no rows', 'a,b', []],
  ['an empty file has no rows', '', []],
])('parses CSV: %s', async (_, text, rows) => {
  expect((await parseText(text)).rows.map(({ cells }) => cells)).toEqual(rows);
});

it('uses an explicit delimiter', async () => {
  const { rows } = await parse(pieces('a,b;c\n1,2;3', 4), ';');
  expect(rows).toEqual([{ line: 2, cells: ['1,2', '3'] }]);
});

it.each([
  ['the row on line 3 has a misplaced or unclosed quote', 'a,b\n1,2\n2,"a"b\n'],
  ['the row on line 4 has a misplaced or unclosed quote', 'a,b\n"1\n",2\n2,"not closed\n'],
  ['the row on line 3 has a misplaced or unclosed quote', 'a,b\n1,2\n2,"not closed\n3,"4"\n'],
  [
    'the row on line 2 is longer than 1 MiB: perhaps a quote is not closed',
    `a,b\n2,"${'not closed\n'.repeat(200_000)}`,
  ],
  [
    'the row on line 1 is longer than 1 MiB: perhaps a quote is not closed',
    `"${'not closed\n'.repeat(200_000)}`,
  ],
  ['column 2 of the header has no name', 'a,,c\n1,2,3'],
  ['the header contains the column a twice', 'a,b, a \n1,2,3'],
])('throws an error: %s', async (message, text) => {
  await expect(parse(pieces(text, 50_000))).rejects.toMatchObject({ name: 'FileError', message });
});
