import type { ExportedCustomer } from '@gatehouse/server';
import { ImportReport } from '../import/import-report.js';
import { notImported } from '../import/source-fields.js';
import type { SourceRecord } from '../import/source.js';
import { compareCustomers } from './comparison.js';

const idOf = (number: number): string => `019aa2c0-7d1e-7000-8000-${String(number).padStart(12, '0')}`;

const customerOf = (number: number, more: Partial<ExportedCustomer> = {}): ExportedCustomer => ({
  ...{ id: idOf(number), projectId: idOf(0), email: `c${number}@example.com`, emailVerified: true },
  ...{ firstName: 'Ada', lastName: null, locale: 'de-AT', imageUrl: null, externalId: `crm-${number}` },
  ...{ metadata: { a: 1, b: { c: 2, d: 3 } }, publicMetadata: {}, mfa: 'inherit', disabledAt: null },
  ...{ createdAt: '2021-03-04T05:06:07.089Z', updatedAt: '2021-03-04T05:06:07.089Z', lastLoginAt: null },
  ...more,
});

const recordOf = (number: number, more: object = {}): SourceRecord => ({
  ...{ position: `users.json:${number}`, sourceId: `crm-${number}`, leftOut: [] },
  customer: { ...customerOf(number), ...more },
});

async function compare(
  records: SourceRecord[],
  customers: ExportedCustomer[],
  withSecrets = true,
): Promise<{ result: Awaited<ReturnType<typeof compareCustomers>>; entries: string[] }> {
  const entries: string[] = [];
  class Entries extends ImportReport {
    override async add(...[record, result, { field }]: Parameters<ImportReport['add']>): Promise<void> {
      entries.push([record.sourceId, result, field].join(' '));
      await super.add(record, result, { field, reason: '', remedy: '' });
    }
  }
  async function* iterate<T>(items: T[]): AsyncGenerator<T> {
    yield* items;
  }
  const report = new Entries(null);
  const result = await compareCustomers(() => iterate(records), iterate(customers), report, withSecrets);
  return { result, entries };
}

/** A value in the files, one in Gatehouse, and the result. */
const fields: [field: string, inFiles: unknown, inGatehouse: unknown, result: string][] = [
  ['email', ' C1@Example.com', 'c1@example.com', 'equal'],
  ['email', 'other@example.com', 'c1@example.com', 'different'],
  ['emailVerified', undefined, true, 'onlyInGatehouse'],
  ['firstName', 'Jose\u0301\n', 'José', 'equal'],
  ['firstName', undefined, 'Ada', 'onlyInGatehouse'],
  ['lastName', 'Byron', null, 'onlyInFiles'],
  ['locale', 'de-at', 'de-AT', 'equal'],
  ['externalId', undefined, null, 'equal'],
  ['externalId', 'crm-1', 'crm-9', 'different'],
  ['metadata', { b: { d: 3, c: 2 }, a: 1 }, { a: 1, b: { c: 2, d: 3 } }, 'equal'],
  ['metadata', { list: [1, 2] }, { list: [2, 1] }, 'different'],
  ['publicMetadata', null, {}, 'equal'],
  ['mfa', undefined, 'required', 'onlyInGatehouse'],
  // The time is not compared.
  ['disabledAt', '2020-01-01T00:00:00Z', '2021-01-01T00:00:00.000Z', 'equal'],
  ['disabledAt', '2020-01-01T00:00:00Z', null, 'onlyInFiles'],
  ['createdAt', '2021-03-04 05:06:07.089123+00', '2021-03-04T05:06:07.089Z', 'equal'],
  ['createdAt', 1_614_834_367, '2021-03-04T05:06:07.000Z', 'equal'],
  ['createdAt', undefined, '2021-03-04T05:06:07.089Z', 'equal'],
  ['createdAt', '2021-03-04T05:06:08Z', '2021-03-04T05:06:07.089Z', 'different'],
  ['updatedAt', '2021-03-04T05:06:08Z', '2021-03-04T05:06:07.089Z', 'different'],
  ['lastLoginAt', '2021-03-04T05:06:08Z', '2021-03-05T05:06:07.089Z', 'equal'],
  ['lastLoginAt', '2021-03-04T05:06:08Z', null, 'onlyInFiles'],
  [
    'identities',
    [
      { provider: 'google', subject: '1' },
      { provider: 'apple', subject: '2' },
    ],
    [
      { provider: 'apple', subject: '2' },
      { provider: 'google', subject: '1' },
    ],
    'equal',
  ],
  ['identities', [{ provider: 'google', subject: '1' }], undefined, 'onlyInFiles'],
  ['passkeys', [{ credentialId: 'a' }], [{ credentialId: 'b' }], 'different'],
  ['passwordHash', '$2b$10$x', 'v1$01234567$2b$10$y', 'equal'],
  ['passwordHash', '$2b$10$x', null, 'onlyInFiles'],
  ['totpSecret', 'jbsw y3dp ehpk 3pxp', 'JBSWY3DPEHPK3PXP', 'equal'],
  ['totpSecret', 'JBSWY3DPEHPK3PXP', 'JBSWY3DPEHPK3PXQ', 'different'],
];

it.each(fields)('compares %s %j with %j: %s', async (field, inFiles, inGatehouse, expected) => {
  const { result, entries } = await compare(
    [recordOf(1, { [field]: inFiles })],
    [customerOf(1, { [field]: inGatehouse })],
  );
  const name = field === 'passwordHash' ? 'password' : field;
  const none = { onlyInFiles: 0, onlyInGatehouse: 0, different: 0 };
  expect(result.fields).toEqual(
    expected === 'equal' ? [] : [{ field: name, ...none, [expected]: 1, examples: ['crm-1'] }],
  );
  expect(entries).toEqual(expected === 'equal' ? [] : [`crm-1 different ${name}`]);
});

it('compares passwords and authenticator apps only in an export with hashes', async () => {
  const record = recordOf(1, { passwordHash: '$2b$10$x', totpSecret: 'JBSWY3DPEHPK3PXP' });
  expect((await compare([record], [customerOf(1)], false)).result.equal).toBe(1);
});

it('finds customers by externalId, otherwise by id, otherwise by email address', async () => {
  const { result, entries } = await compare(
    [
      recordOf(1),
      recordOf(2, { externalId: undefined }),
      recordOf(3, { externalId: undefined, id: undefined }),
      recordOf(4),
      recordOf(5),
      { ...notImported('users.json:6', 'crm-6', 'email', { reason: 'none', remedy: '' }) },
    ],
    [
      // Matches by email address, until the customer with the same externalId is read.
      customerOf(8, { email: 'c1@example.com', externalId: null }),
      customerOf(7),
      customerOf(1, { id: idOf(91), email: 'changed@example.com' }),
      customerOf(2, { email: 'changed2@example.com', externalId: null }),
      customerOf(3, { id: idOf(93), externalId: null }),
      customerOf(4),
    ],
  );
  expect(result).toMatchObject({
    ...{ inFiles: 5, inGatehouse: 6, equal: 2, different: 2, onlyInFiles: 1, onlyInGatehouse: 2 },
    fields: [{ field: 'email', different: 2, examples: ['crm-1', 'crm-2'] }],
  });
  expect(entries).toEqual([
    ...['crm-6 not_sent email', `${idOf(7)} only_in_gatehouse `, `${idOf(8)} only_in_gatehouse `],
    ...['crm-1 different email', 'crm-2 different email', 'crm-5 only_in_files '],
  ]);
});

it('compares thousands of users, and values of any type', async () => {
  const numbers = Array.from({ length: 3_000 }, (_, index) => index);
  const odd = recordOf(99_999, { email: 7, firstName: {}, identities: 'x', passkeys: [null], metadata: [] });
  const { result } = await compare(
    [...numbers.map((number) => recordOf(number)), odd],
    numbers.reverse().map((number) => customerOf(number, number === 777 ? { firstName: 'Bob' } : {})),
  );
  expect(result).toMatchObject({ equal: 2_999, different: 1, onlyInFiles: 1, onlyInGatehouse: 0 });
  expect(result.fields).toMatchObject([{ field: 'firstName', different: 1, examples: ['crm-777'] }]);
});
