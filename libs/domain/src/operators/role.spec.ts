import { scopes } from '../api-keys/scopes.js';
import { hasRole, operatorRoles, roleScopes, minimumRoleFor } from './role.js';

describe('operator roles', () => {
  it('grant a viewer only read permissions', () => {
    expect(roleScopes.viewer.filter((scope) => !scope.endsWith(':read'))).toEqual([]);
  });

  it('grant each role the permissions of the preceding ones, and an admin every permission', () => {
    expect(roleScopes.operator).toEqual(expect.arrayContaining([...roleScopes.viewer]));
    expect(roleScopes.admin).toEqual(scopes);
    expect(operatorRoles.map((role) => hasRole(role, 'operator'))).toEqual([false, true, true]);
  });

  it("CO-01: prevent an operator from setting a customer's email or password", () => {
    expect(minimumRoleFor(['customer:write'])).toBe('admin');
  });

  it('determine the lowest role that has all required scopes', () => {
    expect(minimumRoleFor([])).toBe('viewer');
    expect(minimumRoleFor(['customer:read', 'webhook:read'])).toBe('viewer');
    expect(minimumRoleFor(['customer:read', 'webhook:redeliver'])).toBe('operator');
    expect(minimumRoleFor(['webhook:redeliver', 'api_key:write'])).toBe('admin');
  });
});
