import { eventTypes } from '../event-catalog/event-types.js';
import type { EventDeclaration, TimelineDeclaration } from '../events/event-declaration.js';
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

  it('contain the actions that event types declare, with a label for each timeline entry', () => {
    const events: [string, EventDeclaration][] = Object.entries(eventTypes);
    const actions: [string, TimelineDeclaration][] = Object.entries(auditActions);
    const names = actions.map(([name]) => name);
    const declared = events.flatMap(([, { action, otherActions = [] }]) =>
      [action ?? [], ...otherActions].flat(),
    );
    expect(declared.filter((action) => !names.includes(action))).toEqual([]);
    const unlabeled = [...events, ...actions].filter(([, { timeline, label }]) => timeline && !label);
    // The console composes the labels of these entries from their details.
    const composed = `customer.updated session.revoked login.succeeded login.failed identity.linked identity.unlinked
      customer.sessions_revoked customer.identity_linked customer.identity_unlinked`;
    expect(new Set(unlabeled.map(([name]) => name))).toEqual(new Set(composed.split(/\s+/)));
  });
});
