import { customerFields, isTarget, RowConverter } from './customer-rows.js';

const convert = (columns: string[], cells: string[], mapping: Record<string, string> = {}) =>
  new RowConverter(columns, new Map(Object.entries(mapping))).convert(cells);

const EMAIL = 'ada@example.com';

it.each([
  ['emailVerified', 'TRUE', true],
  ['emailVerified', 't', true],
  ['emailVerified', '1', true],
  ['emailVerified', 'yes', true],
  ['emailVerified', 'False', false],
  ['emailVerified', 'f', false],
  ['emailVerified', '0', false],
  ['emailVerified', 'no', false],
  ['emailVerified', 'maybe', 'maybe'],
  ['metadata', '{"plan":"pro"}', { plan: 'pro' }],
  ['metadata', 'null', undefined],
  ['identities', '[{"provider":"google","subject":"1"}]', [{ provider: 'google', subject: '1' }]],
  ['createdAt', '2019-05-01 12:00:00+00', '2019-05-01 12:00:00+00'],
  ['externalId', '007', '007'],
  ['firstName', '', undefined],
  ['firstName', "'=1+1", '=1+1'],
  ['firstName', "'t Hooft", "'t Hooft"],
  ['metadata.plan', "'-", '-'],
  ['password', "'=1+1", "'=1+1"],
])('converts the cell in the column %s: %j', (column, cell, value) => {
  const { customer, leftOut } = convert(['email', column], [EMAIL, cell]);
  const expected = column === 'metadata.plan' ? { metadata: { plan: value } } : { [column]: value };
  expect([customer, leftOut]).toEqual([{ email: EMAIL, ...(value !== undefined && expected) }, []]);
});

it.each([
  ['metadata', '{', 'not_an_object'],
  ['metadata', '[]', 'not_an_object'],
  ['metadata', '1', 'not_an_object'],
  ['passkeys', '{}', 'not_a_list'],
  ['Plan', 'pro', 'unknown_column'],
  ['toString', 'x', 'unknown_column'],
])('leaves out and reports the cell in the column %s: %j', (column, cell, problem) => {
  expect(convert(['email', column], [EMAIL, cell])).toEqual({
    customer: { email: EMAIL },
    leftOut: [{ column, problem }],
  });
});

it('maps columns to fields and metadata keys, and ignores others', () => {
  const columns = ['Mail', 'plan', 'tier', 'color', 'note', 'metadata'];
  const cells = [EMAIL, 'pro', '3', 'green', 'x', '{"plan":"free"}'];
  const mapping = {
    Mail: 'email',
    plan: 'metadata.plan',
    tier: 'metadata.tier',
    color: 'publicMetadata.color',
    note: '',
  };
  expect(convert(columns, cells, mapping)).toEqual({
    customer: { email: EMAIL, metadata: { plan: 'free', tier: '3' }, publicMetadata: { color: 'green' } },
    leftOut: [{ column: 'plan', problem: 'metadata_name_taken' }],
  });
  expect(new RowConverter(['email', 'plan', 'note'], new Map([['note', '']])).unknownColumns).toEqual([
    'plan',
  ]);
});

it.each([
  [['firstName'], {}, 'the column email is missing'],
  [['Email'], {}, 'the column email is missing'],
  [['email'], { email: '' }, 'the column email is missing'],
  [['email', 'mail'], { mail: 'email' }, 'several columns are mapped to email'],
])('rejects the columns %j with the mapping %j', (columns, mapping, message) => {
  expect(() => new RowConverter(columns, new Map(Object.entries(mapping)))).toThrow(message);
});

it('maps columns only to fields and metadata keys', () => {
  expect([...customerFields, 'metadata.a b', 'publicMetadata.x.y'].filter(isTarget)).toHaveLength(
    customerFields.length + 2,
  );
  expect(['plan', 'metadata.', 'emails', 'toString', ''].filter(isTarget)).toEqual([]);
});
