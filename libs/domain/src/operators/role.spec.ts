import { scopes } from '../api-keys/scopes.js';
import { hasRole, operatorRoles, roleScopes, minimumRoleFor } from './role.js';

describe('the roles of operators', () => {
  it('a viewer changes nothing', () => {
    expect(roleScopes.viewer.filter((scope) => !scope.endsWith(':read'))).toEqual([]);
  });

  it('each role may do all that those before it may, and an admin everything', () => {
    expect(roleScopes.operator).toEqual(expect.arrayContaining([...roleScopes.viewer]));
    expect(roleScopes.admin).toEqual(scopes);
    expect(operatorRoles.map((role) => hasRole(role, 'operator'))).toEqual([false, true, true]);
  });

  it('CO-01: an operator sets nobody’s address or password, which would be taking the account over', () => {
    expect(minimumRoleFor(['customer:write'])).toBe('admin');
  });

  it('roleWith is the least that may do all of it', () => {
    expect(minimumRoleFor([])).toBe('viewer');
    expect(minimumRoleFor(['customer:read', 'webhook:read'])).toBe('viewer');
    expect(minimumRoleFor(['customer:read', 'webhook:redeliver'])).toBe('operator');
    expect(minimumRoleFor(['webhook:redeliver', 'api_key:write'])).toBe('admin');
  });
});
