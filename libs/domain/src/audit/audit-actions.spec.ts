import { auditActions, auditTargetTypes, matchingAuditActions } from './audit-actions.js';

describe('matchingAuditActions', () => {
  it('knows an action by its name', () => {
    expect(matchingAuditActions('api_key.rotated')).toEqual(['api_key.rotated']);
  });

  it('knows all actions of a noun', () => {
    expect(matchingAuditActions('api_key.*')).toEqual([
      'api_key.created',
      'api_key.rotated',
      'api_key.revoked',
    ]);
  });

  it.each(['', '*', '.*', 'customer', 'customer.', 'customer.read', 'custom.*', 'customer.*.*', 'toString'])(
    'knows nothing of %j',
    (filter) => expect(matchingAuditActions(filter)).toEqual([]),
  );
});

describe('the actions', () => {
  it.each(Object.keys(auditActions))('%s is a noun and what happened to it', (action) => {
    expect(action).toMatch(/^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$/);
  });

  it('lead to every kind of target once', () => {
    expect(new Set(auditTargetTypes).size).toBe(auditTargetTypes.length);
    expect(auditTargetTypes).toContain('webhook_delivery');
  });
});
