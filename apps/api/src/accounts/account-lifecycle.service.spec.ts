import type { Customer, ProjectContext } from '@gatehouse/domain';
import type { Tx } from '@gatehouse/persistence';
import { endedAccess, type AccessAction, type AccessPart } from './ended-access.js';
import { AccountLifecycleService } from './account-lifecycle.service.js';

const tx = {} as Tx;
const project = { id: 'project', organizationId: 'organization' } as ProjectContext;
const customer = { id: 'customer', projectId: 'project', email: 'ada@example.com' } as Customer;
const unclaimed = { ...customer, passwordHash: null };
const proof = { email: customer.email, via: 'link', requestedAt: new Date(0) } as const;
const session = { id: 'session', createdAt: new Date(0), lastUsedAt: new Date(0), expiresAt: new Date(0) };

/** The repository methods that end each part. */
const methods: Record<AccessPart, string[]> = {
  password: ['customers.claim'],
  factors: ['factors.deleteAll'],
  identities: ['identities.deleteAll'],
  links: ['tokens.voidAll'],
  signInTokens: ['signInTokens.deleteAll'],
  emailCodes: ['emailCodes.deleteCodes'],
  exchanges: ['exchanges.deleteAll'],
  addressRecords: [
    'attempts.clear',
    'emailCodes.deleteCodesAndAttempts',
    'exchanges.deleteExchangesAndFlows',
  ],
  knownAddresses: ['attempts.deleteKnownAddresses'],
  proofs: ['customers.revokeAccess'],
  challenges: ['challenges.voidAll'],
  sessions: ['sessions.revokeAll'],
  account: ['customers.delete', 'erasures.start'],
};

const results: Record<string, unknown> = {
  'customers.claim': { ...customer, emailVerified: true },
  'customers.delete': true,
  'customers.setDisabled': { ...customer, disabledAt: new Date(0) },
  'sessions.revokeAll': [session],
};

/** Runs an action. @returns the called repository methods, and the reasons why the sessions ended */
async function run(action: AccessAction) {
  const calls: [name: string, args: unknown[]][] = [];
  const repository = (name: string) =>
    new Proxy({} as never, {
      get:
        (_, method) =>
        (...args: unknown[]) => {
          calls.push([`${name}.${String(method)}`, args]);
          return Promise.resolve(results[`${name}.${String(method)}`]);
        },
    });
  const recorded: { type: string; data: { reason?: string } }[] = [];
  const service = new AccountLifecycleService(
    repository('customers'),
    repository('sessions'),
    repository('challenges'),
    repository('tokens'),
    repository('signInTokens'),
    repository('factors'),
    repository('emailCodes'),
    repository('exchanges'),
    repository('identities'),
    repository('attempts'),
    repository('erasures'),
    { record: (_tx: Tx, events: typeof recorded) => recorded.push(...events) } as never,
    { record: () => undefined } as never,
    { record: () => Promise.resolve() } as never,
  );
  if (action === 'customer_deleted') await service.delete(tx, project, customer);
  else if (action === 'customer_disabled') await service.disable(tx, project, customer);
  else if (action === 'address_claimed')
    recorded.push(...((await service.claim(tx, project, unclaimed, proof, 'disowned')).events as never[]));
  else if (action === 'address_changed' || action === 'address_change_confirmed')
    await service.clearPreviousAddress(tx, project, customer, action);
  else recorded.push(...((await service.revokeAccess(tx, project, customer, action, 'kept')) as never[]));
  const reasons = recorded.filter(({ type }) => type === 'session.revoked').map(({ data }) => data.reason);
  return { calls, reasons };
}

const names = (calls: [name: string, args: unknown[]][]) =>
  calls.map(([name]) => name).filter((name) => name !== 'customers.setDisabled');

it.each(Object.keys(endedAccess) as AccessAction[])(
  'ends the parts listed for %s, in order',
  async (action) => {
    const { calls, reasons } = await run(action);
    const parts: readonly AccessPart[] = endedAccess[action].parts;
    expect(names(calls)).toEqual(parts.flatMap((part) => methods[part]));
    const reason = action === 'address_claimed' ? 'disowned' : action;
    expect(reasons).toEqual(parts.includes('sessions') ? [reason] : []);
  },
);

it('voids only the listed links and keeps the current session', async () => {
  const { calls } = await run('password_changed');
  const { links } = endedAccess.password_changed;
  expect(calls.find(([name]) => name === 'tokens.voidAll')![1]).toEqual([tx, customer.id, links]);
  const kept = [tx, customer.id, 'password_changed', 'kept'];
  expect(calls.find(([name]) => name === 'sessions.revokeAll')![1]).toEqual(kept);
});
