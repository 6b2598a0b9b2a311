import { customersOfCsv, customersOfJson, readImportFile } from './import-file';

describe('customersOfCsv', () => {
  it('converts the cells by their columns, and omits empty ones', () => {
    const text =
      'email,firstName,emailVerified,metadata,externalId\na@b.c,Ada,TRUE,"{""plan"":""pro""}",\nd@e.f,,maybe,{,7\n';
    expect(customersOfCsv(text)).toEqual([
      { email: 'a@b.c', firstName: 'Ada', emailVerified: true, metadata: { plan: 'pro' } },
      { email: 'd@e.f', emailVerified: 'maybe', metadata: '{', externalId: '7' },
    ]);
  });

  it.each([
    ['email,name,toString', 'Unknown columns: name, toString.'],
    ['firstName', 'The column email is missing.'],
  ])('rejects the columns %s', (text, message) => expect(() => customersOfCsv(text)).toThrow(message));
});

describe('customersOfJson', () => {
  it.each([
    ['[{"email":"a@b.c"}]', [{ email: 'a@b.c' }]],
    ['{"customers":[1]}', [1]],
  ])('reads %s', (text, list) => expect(customersOfJson(text)).toEqual(list));

  it.each([
    ['{"email":"a@b.c"}\n{"email":"d@e.f"}', 'must have the extension .ndjson'],
    ['{"email":"a@b.c"}', 'must contain a list'],
    ['null', 'must contain a list'],
  ])('rejects %j', (text, message) => expect(() => customersOfJson(text)).toThrow(message));
});

describe('readImportFile', () => {
  it.each([
    ['people.ndjson', '{}\n{}', 2, 'Line', 0],
    ['people.ndjson', '{}\n{}\n', 2, 'Line', 0],
    ['people.CSV', 'email\na@b.c\n', 1, 'Row', 1],
    ['people.json', '[{},{},{}]', 3, 'Entry', 0],
  ])('reads %s with the content %j', async (name, text, lines, lineName, offset) => {
    expect(await readImportFile(new File([text], name))).toMatchObject({ lines, lineName, offset });
  });

  it.each([
    ['empty.ndjson', '', 'The file is empty.'],
    ['empty.csv', 'email\n', 'The file contains no customers.'],
  ])('rejects %s', async (name, text, message) => {
    await expect(readImportFile(new File([text], name))).rejects.toThrow(message);
  });
});
