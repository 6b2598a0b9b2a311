import { findRole, readClaimValues } from './operator-claims.js';

describe("an operator's claims", () => {
  it.each([
    [{ groups: ['a', 'b', 7, ''] }, 'groups', ['a', 'b']],
    [{ role: 'a' }, 'role', ['a']],
    [{ realm_access: { roles: ['a'] } }, 'realm_access.roles', ['a']],
    [{ 'https://example.com/roles': ['a'] }, 'https://example.com/roles', ['a']],
    [{ groups: { a: true } }, 'groups', []],
    [{}, 'groups', []],
    [{}, 'constructor.name', []],
  ])('contain the strings in %j', (claims, path, expected) =>
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
  ])('give for the values %j the highest role: %s', (values, expected) =>
    expect(findRole(values, [...mappings])).toBe(expected),
  );

  it('give a role to everyone with *', () => {
    expect(findRole([], [...mappings, { role: 'viewer', value: '*' }])).toBe('viewer');
    expect(findRole(['root'], [...mappings, { role: 'viewer', value: '*' }])).toBe('admin');
  });
});
