import { scopes } from './scopes.js';

describe('scopes', () => {
  it('AK-06: match the contract', () => {
    const contract =
      'organization:read|write project:read|write api_key:read|write customer:read|write|delete|export_hashes|impersonate session:read|revoke|migrate mailbox:read billing:write webhook:read|write|redeliver event:read|write audit:read';
    const named = contract.split(' ').flatMap((group) => {
      const [noun, verbs] = group.split(':') as [string, string];
      return verbs.split('|').map((verb) => `${noun}:${verb}`);
    });
    expect([...scopes].sort()).toEqual(named.sort());
  });
});
