import { newCustomer, type Customer } from '../customers/customer.js';
import { planImportUpdate, type ImportTarget, type ImportUpdateLine } from './import-update.js';

const day = (date: number): Date => new Date(Date.UTC(2026, 0, date));

const customer: Customer = {
  ...newCustomer({ email: 'ada@example.com', firstName: 'Ada', externalId: 'a' }),
  ...{ id: '1', projectId: '2', imageUrl: null, disabledAt: null, lastLoginAt: null },
  ...{ createdAt: day(1), updatedAt: day(2) },
};
/** A customer whom an import created on the second day. */
const imported: ImportTarget = { ...customer, importUpdatedAt: day(2), claimedAt: null };
const changedHere: ImportTarget = { ...imported, updatedAt: day(4) };
const createdHere: ImportTarget = { ...imported, importUpdatedAt: null };
/** A customer whom an import updated on the third day. */
const updated: ImportTarget = { ...imported, updatedAt: day(3), importUpdatedAt: day(3) };
const claimed: ImportTarget = { ...imported, claimedAt: day(2) };
const disabled = { disabledAt: day(2) };

const line = (
  updatedAt: Date | null,
  fields: Partial<ImportUpdateLine['fields']> = {},
  more: Partial<ImportUpdateLine> = {},
): ImportUpdateLine => ({
  fields: { email: 'ada@example.com', ...fields },
  ...{ disabledAt: null, updatedAt, lastLoginAt: null, createdAt: null, ...more },
});
const renamed = { firstName: 'Augusta' };
const banned = { disabledAt: day(3) };
const other = { email: 'eve@example.com', externalId: 'a' };

/** Returns a plan as a string: its action, the changed fields, and the fields that are not applied. */
function plan(target: ImportTarget, update: ImportUpdateLine): string {
  const result = planImportUpdate(target, update);
  if (result.action === 'reject') return 'reject';
  if (result.action === 'keep') {
    return `keep ${result.differing.join(' ')}`.trim();
  }
  const kept = result.kept.length > 0 ? `; keeps ${result.kept.join(' ')}` : '';
  return `update ${result.changed.join(' ')}${kept}`.trim();
}

it.each<[string, ImportTarget, ImportUpdateLine, string]>([
  ['a newer line', imported, line(day(3), renamed), 'update firstName'],
  ['a newer line with the same values', imported, line(day(3)), 'update'],
  ['the same line', imported, line(day(2)), 'update'],
  ['another line with the same time', imported, line(day(2), renamed), 'update firstName'],
  ['a ban in a line with the same time', imported, line(day(2), {}, banned), 'update disabledAt'],
  ['an older line', imported, line(day(1), renamed), 'keep'],
  ['a ban in an older line', updated, line(day(2), {}, banned), 'keep disabledAt'],
  ['an unban in an older line', { ...updated, ...disabled }, line(day(2)), 'keep disabledAt'],
  ['a required factor in an older line', updated, line(day(2), { mfa: 'required' }), 'keep mfa'],
  ['a line without a time', imported, line(null, renamed), 'update firstName'],
  ['a ban', imported, line(day(3), {}, banned), 'update disabledAt'],
  ['a ban without a time', imported, line(null, {}, banned), 'update disabledAt'],
  ['an unban', { ...imported, ...disabled }, line(day(3)), 'update disabledAt'],
  [
    'a line without the field',
    { ...imported, ...disabled },
    line(day(3), {}, { disabledAt: undefined }),
    'update',
  ],
  ['a verified address', imported, line(day(3), { emailVerified: true }), 'update emailVerified'],
  ['another image', imported, line(day(3), { imageUrl: 'https://a.example/1.png' }), 'update imageUrl'],
  ['no image', { ...imported, imageUrl: 'https://a.example/1.png' }, line(day(3)), 'update'],
  [
    'an unverified address',
    { ...imported, emailVerified: true },
    line(day(3), { emailVerified: false }),
    'update',
  ],
  [
    'another, unverified address',
    { ...imported, emailVerified: true },
    line(day(3), { email: 'eve@example.com' }),
    'update email emailVerified',
  ],
  ['an id', { ...imported, externalId: null }, line(day(3), { externalId: 'b' }), 'update externalId'],
  ['another id', imported, line(day(3), { externalId: 'b' }), 'update ; keeps externalId'],
  ['no id', imported, line(day(3), { externalId: null }), 'update ; keeps externalId'],
  [
    'another address of a claimed account',
    claimed,
    line(day(3), { ...renamed, email: 'eve@example.com', emailVerified: true }),
    'update firstName; keeps email emailVerified',
  ],
  [
    'the same id with another address and creation time',
    imported,
    line(day(3), other, { createdAt: day(2) }),
    'reject',
  ],
  [
    'the same id with another address and creation time in an older line',
    imported,
    line(day(1), other, { createdAt: day(2) }),
    'reject',
  ],
  [
    'another address with the same creation time',
    imported,
    line(day(3), other, { createdAt: day(1) }),
    'update email',
  ],
  ['another address without a creation time', imported, line(day(3), other), 'update email'],
  [
    'another address with a rounded creation time',
    imported,
    line(day(3), other, { createdAt: new Date(day(1).getTime() + 999) }),
    'update email',
  ],
  [
    'another creation time with the same address',
    imported,
    line(day(3), { ...renamed, externalId: 'a' }, { createdAt: day(2) }),
    'update firstName',
  ],
  [
    'another address and creation time for a customer without an externalId',
    { ...imported, externalId: null },
    line(day(3), { email: 'eve@example.com' }, { createdAt: day(2) }),
    'reject',
  ],
  [
    'another address, creation time and externalId with the same id',
    imported,
    line(day(3), { email: 'eve@example.com', externalId: 'b' }, { createdAt: day(2) }),
    'reject',
  ],
  [
    'another address and externalId with the same id and creation time',
    imported,
    line(day(3), { email: 'eve@example.com', externalId: 'b' }, { createdAt: day(1) }),
    'update email; keeps externalId',
  ],
  ['a line newer than a change in Gatehouse', changedHere, line(day(5), renamed), 'update firstName'],
  [
    'a line between the import and a change in Gatehouse',
    changedHere,
    line(day(3), renamed),
    'keep firstName',
  ],
  ['the imported line after a change in Gatehouse', changedHere, line(day(2), renamed), 'keep'],
  ['a ban before a change in Gatehouse', changedHere, line(day(3), {}, banned), 'keep disabledAt'],
  [
    'a ban in the imported line after a change in Gatehouse',
    changedHere,
    line(day(2), {}, banned),
    'keep disabledAt',
  ],
  ['a line without a time after a change in Gatehouse', changedHere, line(null, renamed), 'keep firstName'],
  [
    'a newer line of a customer who was disabled in Gatehouse',
    { ...changedHere, ...disabled },
    line(day(5)),
    'update ; keeps disabledAt',
  ],
  ['a newer line of a customer who was not imported', createdHere, line(day(3), renamed), 'update firstName'],
  ['an older line of a customer who was not imported', createdHere, line(day(1), renamed), 'keep firstName'],
  [
    'a line with the same time after a removal in Gatehouse',
    createdHere,
    line(day(2), renamed),
    'keep firstName',
  ],
])('returns the plan for %s', (_, target, update, expected) => expect(plan(target, update)).toBe(expected));

it('keeps the earliest ban time and the latest sign-in time', () => {
  const target = { ...imported, ...disabled, lastLoginAt: day(2) };
  const { after } = planImportUpdate(target, line(day(3), {}, { ...banned, lastLoginAt: day(1) })) as {
    after: Customer;
  };
  expect(after).toEqual({ ...customer, ...disabled, updatedAt: day(3), lastLoginAt: day(2) });
});
