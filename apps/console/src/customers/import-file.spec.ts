import { describeFileError, readImportFile, type FileFormat } from './import-file';

const read = async (name: string, content: string | Uint8Array<ArrayBuffer>, format: FileFormat = {}) => {
  const { body, find, report, ...file } = await readImportFile(new File([content], name), format);
  const texts = (await body.text()).split('\n').filter((line) => line !== '');
  return {
    ...file,
    customers: texts.map((text) => JSON.parse(text) as unknown),
    positions: texts.map((_, index) => find(index + 1)),
    notSent: report.notSent,
    counts: report.counts,
    entries: report.entries.map(({ position, email, field }) => [position, email, field]),
  };
};

const latin = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));
const utf16 = (text: string) => new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le'));

it('reads CSV by the same rules as the command line, and reports parts that are not sent', async () => {
  const text =
    'email;firstName;metadata;Plan\r\na@b.c;"Byron;\r\nAda";"{""x"":1}";pro\r\n\r\nd@e.f;Byron; Ada;;\r\ng@h.i;;{;\r\n';
  const file = await read('people.CSV', text);
  expect(file).toMatchObject({ lines: 2, lineName: 'Line', encoding: 'utf-8', delimiter: ';', notSent: 1 });
  expect(file.customers).toEqual([
    { email: 'a@b.c', firstName: 'Byron;\r\nAda', metadata: { x: 1 } },
    { email: 'g@h.i' },
  ]);
  expect(file.positions).toEqual([
    { position: 2, email: 'a@b.c' },
    { position: 6, email: 'g@h.i' },
  ]);
  expect(file.entries).toEqual([
    [2, 'a@b.c', 'Plan'],
    [5, null, ''],
    [6, 'g@h.i', 'metadata'],
  ]);
  for (const { count, remedy } of file.counts) expect([count, remedy]).toEqual([1, expect.any(String)]);
});

it.each([
  ['people.json', '[{"email":"a@b.c"},null]', {}, [{ email: 'a@b.c' }, null], 'Entry', 'utf-8'],
  ['people.json', '{"customers":[1]}', {}, [1], 'Entry', 'utf-8'],
  ['people.ndjson', '{"a":1}\n{"a":2}', {}, [{ a: 1 }, { a: 2 }], 'Line', 'utf-8'],
  ['people.ndjson', '\ufeff{"a":1}\n', {}, [{ a: 1 }], 'Line', 'utf-8'],
  ['people.ndjson', utf16('{"a":"é"}\n'), {}, [{ a: 'é' }], 'Line', 'utf-16le'],
  ['people.csv', utf16('email\na@b.c\n'), {}, [{ email: 'a@b.c' }], 'Line', 'utf-16le'],
  [
    'people.csv',
    latin('email,firstName\na@b.c,Jos\xe9\n'),
    { encoding: 'windows-1252' },
    [{ email: 'a@b.c', firstName: 'José' }],
    'Line',
    'windows-1252',
  ],
  ['people.csv', 'email;a,b\nx;,\n', { delimiter: ';' as const }, [{ email: 'x' }], 'Line', 'utf-8'],
])('reads %s with the content %j', async (name, content, format, customers, lineName, encoding) => {
  const lines = customers.length;
  expect(await read(name, content, format)).toMatchObject({ customers, lines, lineName, encoding });
});

it.each([
  ['empty.ndjson', '', 'The file is empty.'],
  ['empty.csv', 'email\n', 'The file contains no customers.'],
  ['people.json', '{"email":"a@b.c"}\n{}', /must have the extension \.ndjson\.$/],
  ['people.json', 'null', 'The file must contain a list of customers.'],
  ['people.csv', 'firstName\nAda\n', /^The column email is missing\. Known columns: email, firstName, /],
  ['people.csv', 'email\n"a"b\n', 'The row on line 2 has a misplaced or unclosed quote.'],
  ['people.csv', latin('email\na@b.c\nJos\xe9\n'), 'Line 3 is not UTF-8.'],
  ['people.ndjson', latin('{}\n{"a":"\xe9"}\n'), 'Line 2 is not UTF-8.'],
  ['people.json', latin('[\n"\xe9"]'), 'Line 2 is not UTF-8.'],
])('rejects %s with the content %j', async (name, content, message) => {
  const error: unknown = await read(name, content).catch((reason: unknown) => reason);
  expect(describeFileError(error)).toMatch(message);
});
