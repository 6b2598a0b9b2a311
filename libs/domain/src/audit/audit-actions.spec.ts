import { auditActions, auditTargetTypes, matchingAuditActions } from './audit-actions.js';

describe('audit actions', () => {
  it('match a filter by name or by noun', () => {
    expect(matchingAuditActions('api_key.rotated')).toEqual(['api_key.rotated']);
    const apiKeyActions = 'api_key.created api_key.rotated api_key.revoked api_key.scopes_added'.split(' ');
    expect(matchingAuditActions('api_key.*')).toEqual(apiKeyActions);
    const others = '*,.*,customer,customer.,customer.read,custom.*,customer.*.*,toString'.split(',');
    expect(['', ...others].flatMap(matchingAuditActions)).toEqual([]);
  });

  it('have the form noun.verb, and each target type is listed once', () => {
    for (const action of Object.keys(auditActions))
      expect(action).toMatch(/^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$/);
    expect(new Set(auditTargetTypes).size).toBe(auditTargetTypes.length);
  });
});
