import { findRole, readClaimValues } from './operator-claims.js';

describe('operator claims', () => {
  it.each([
    [{ groups: ['a', 'b', 7, ''] }, 'groups', ['a', 'b']],
    [{ role: 'a' }, 'role', ['a']],
    [{ realm_access: { roles: ['a'] } }, 'realm_access.roles', ['a']],
    [{ 'https://example.com/roles': ['a'] }, 'https://example.com/roles', ['a']],
    [{ groups: { a: true } }, 'groups', []],
    [{}, 'groups', []],
    [{}, 'constructor.name', []],
  ])('return the strings in %j', (claims, path, expected) =>
    expect(readClaimValues(claims, path)).toEqual(expected),
  );

  const mappings = [
    { role: 'operator', value: 'support' },
    { role: 'admin', value: 'root' },
    { role: 'viewer', value: 'staff' },
  ] as const;

  it.each([
    [['staff', 'root', 'support'], 'admin'],
    [['support', 'staff'], 'operator'],
    [['others'], null],
    [['*'], null],
    [[], null],
  ])('map the values %j to the highest role: %s', (values, expected) =>
    expect(findRole(values, [...mappings])).toBe(expected),
  );

  it('grant a role to everyone with *', () => {
    expect(findRole([], [...mappings, { role: 'viewer', value: '*' }])).toBe('viewer');
    expect(findRole(['root'], [...mappings, { role: 'viewer', value: '*' }])).toBe('admin');
  });
});
