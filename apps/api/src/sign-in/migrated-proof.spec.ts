import { assertMigratable } from './migrated-proof.js';

const hasher = { isImported: (hash: string): boolean => hash.startsWith('i1$') };
const day = (number: number): Date => new Date(Date.UTC(2026, 0, number));

const customer = {
  ...{ accessRevokedAt: null, claimedAt: null, disabledAt: null, proofRequiredAt: null },
  ...{ imported: true, passwordHash: null },
};
const ownHash = { passwordHash: 'v1$' };
const ownPassword = 'a password in Gatehouse that the other system may not know';
const signIn = 'must sign in';

/** A session that started on the second day. */
const proof = { amr: ['pwd' as const], authTime: day(2) };

it.each<[string, Partial<Parameters<typeof assertMigratable>[1]>, string | null]>([
  ['an imported customer without a password', {}, null],
  ['an imported customer who has not signed in', { passwordHash: 'i1$' }, null],
  ['a customer from an import or legacySignIn who has signed in', ownHash, null],
  [
    'a customer from an import or legacySignIn after a password change',
    { ...ownHash, accessRevokedAt: day(1) },
    ownPassword,
  ],
  ['a customer who was created in Gatehouse without a password', { imported: false }, null],
  [
    'a customer who has registered, or was created with a password',
    { ...ownHash, imported: false },
    ownPassword,
  ],
  ['a customer who has claimed the account', { claimedAt: day(1) }, ownPassword],
  ['a customer who signed out everywhere before the proof', { accessRevokedAt: day(1) }, null],
  ['a customer who signed out everywhere after the proof', { accessRevokedAt: day(3) }, signIn],
  ['a customer who had to prove their identity before the proof', { proofRequiredAt: day(1) }, null],
  ['a customer who had to prove their identity after the proof', { proofRequiredAt: day(3) }, signIn],
])('decides whether to move the session of %s', (_, fields, detail) => {
  const check = (): void => assertMigratable(hasher, { ...customer, ...fields }, proof);
  if (detail === null) expect(check).not.toThrow();
  else
    expect(check).toThrow(
      expect.objectContaining({ code: 'conflict', message: expect.stringContaining(detail) }),
    );
});
