import { scopes } from '../api-keys/scopes.js';
import { hasRole, operatorRoles, roleScopes, minimumRoleFor } from './role.js';

describe('the roles of operators', () => {
  it('a viewer has only read permissions', () => {
    expect(roleScopes.viewer.filter((scope) => !scope.endsWith(':read'))).toEqual([]);
  });

  it('each role has all permissions of the preceding ones, and an admin has every permission', () => {
    expect(roleScopes.operator).toEqual(expect.arrayContaining([...roleScopes.viewer]));
    expect(roleScopes.admin).toEqual(scopes);
    expect(operatorRoles.map((role) => hasRole(role, 'operator'))).toEqual([false, true, true]);
  });

  it('CO-01: an operator cannot set the email address or password of a customer, which would take over the account', () => {
    expect(minimumRoleFor(['customer:write'])).toBe('admin');
  });

  it('minimumRoleFor returns the lowest role that has all of the scopes', () => {
    expect(minimumRoleFor([])).toBe('viewer');
    expect(minimumRoleFor(['customer:read', 'webhook:read'])).toBe('viewer');
    expect(minimumRoleFor(['customer:read', 'webhook:redeliver'])).toBe('operator');
    expect(minimumRoleFor(['webhook:redeliver', 'api_key:write'])).toBe('admin');
  });
});
