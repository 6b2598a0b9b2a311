import type { AccessTokenClaims } from './access-token-claims.js';
import { GatehouseError } from './gatehouse-error.js';
import { Revocations } from './revocations.js';
import { RevokedSessions } from './revoked-sessions.js';

const AT = Date.parse('2026-03-02T12:00:00.500Z');
const HOUR = 3_600_000;
const claims = (sid: string, sub: string, iat: number): AccessTokenClaims =>
  ({ sid, sub, iat }) as AccessTokenClaims;
const event = (type: string, data: Record<string, unknown>, at = AT) => ({
  type,
  created_at: new Date(at).toISOString(),
  data,
});

it('rejects tokens of revoked sessions, and tokens issued before a customer was disabled', () => {
  const revoked = new RevokedSessions(HOUR);
  revoked.add(event('session.revoked', { session: { id: 's1' }, customer: { id: 'c1' } }));
  revoked.add(event('customer.disabled', { customer: { id: 'c2' } }));
  revoked.add(event('customer.deleted', { customer: { id: 'c3' } }));
  // The resources were erased because the customer was deleted.
  revoked.add(event('session.revoked', {}));
  const issuedAt = Math.floor(AT / 1_000);
  const tokens = [
    claims('s1', 'c1', issuedAt + 9),
    claims('s2', 'c1', issuedAt),
    claims('s3', 'c2', issuedAt),
    claims('s3', 'c2', issuedAt + 1),
    claims('s4', 'c3', issuedAt - 60),
    { ...claims('s4', 'auth0|3', issuedAt - 60), customer_id: 'c3' },
  ];
  expect(tokens.map((token) => revoked.has(token))).toEqual([true, false, true, false, true, true]);
  expect(revoked.size).toBe(3);
});

it('keeps an entry until every token that was issued before the revocation has expired', () => {
  const revoked = new RevokedSessions(HOUR);
  revoked.add(event('session.revoked', { session: { id: 's1' } }));
  revoked.add(event('customer.disabled', { customer: { id: 'c1' } }));
  revoked.add(event('customer.disabled', { customer: { id: 'c1' } }, AT - HOUR));
  revoked.removeExpired(AT + HOUR);
  expect(revoked.size).toBe(2);
  revoked.removeExpired(AT + HOUR + 1);
  expect(revoked.size).toBe(0);
});

/** Simulates a feed with these pages. The clock is stopped, and each wait ends when the test calls `next`. */
function simulate(pages: ((query: Record<string, unknown>) => unknown)[]) {
  const queries: Record<string, unknown>[] = [];
  const errors: unknown[] = [];
  const waiting: (() => void)[] = [];
  const revocations = new Revocations(
    async (_method, _path, options) => {
      queries.push(options!.query as Record<string, unknown>);
      return pages.shift()!(options!.query as Record<string, unknown>);
    },
    'prj',
    { tokenLifetime: '1h', onError: (error) => void errors.push(error) },
    { now: () => AT, wait: () => new Promise((resolve) => waiting.push(resolve)) },
  );
  return { revocations, queries, errors, next: () => waiting.shift()!() };
}

const page =
  (sid: string | null, cursor: string, hasMore = false) =>
  () => ({
    data: sid ? [event('session.revoked', { session: { id: sid } })] : [],
    next_cursor: cursor,
    has_more: hasMore,
  });
const fail = (code: string, status: number) => () => {
  throw new GatehouseError({ code, status, detail: 'Detail.' });
};
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('throws until the entire feed is read, and then continues with the same filters', async () => {
  const { revocations, queries, next } = simulate([page('s1', 'a', true), page('s2', 'b'), page('s3', 'c')]);
  expect(() => revocations.isRevoked(claims('s1', 'c', 0))).toThrow('unavailable');
  await revocations.start();
  const isRevoked = () => ['s1', 's2', 's3'].map((sid) => revocations.isRevoked(claims(sid, 'c', 0)));
  expect(isRevoked()).toEqual([true, true, false]);
  await settled();
  next();
  await settled();
  expect(isRevoked()).toEqual([true, true, true]);
  const filters = {
    types: 'session.revoked,customer.disabled,customer.deleted',
    project_id: 'prj',
    created_after: new Date(AT - HOUR - 5_000).toISOString(),
    limit: 200,
  };
  expect(queries).toEqual([undefined, 'a', 'b'].map((cursor) => ({ ...filters, cursor })));
  revocations.stop();
});

it('keeps reading after an error, and starts over if the cursor is no longer valid', async () => {
  const { revocations, queries, errors, next } = simulate([
    fail('unavailable', 503),
    page('s1', 'a'),
    fail('invalid_cursor', 400),
    page(null, 'b'),
  ]);
  const started = revocations.start();
  await settled();
  next();
  await started;
  for (let reads = 0; reads < 2; reads += 1) {
    await settled();
    next();
  }
  await settled();
  expect(queries.map(({ cursor }) => cursor)).toEqual([undefined, undefined, 'a', undefined]);
  expect(errors).toMatchObject([{ code: 'unavailable' }, { code: 'invalid_cursor' }]);
  expect(revocations.isRevoked(claims('s1', 'c', 0))).toBe(true);
  revocations.stop();
});

it('rejects start() if the key lacks the scope', async () => {
  const { revocations } = simulate([fail('insufficient_scope', 403)]);
  await expect(revocations.start()).rejects.toMatchObject({ code: 'insufficient_scope' });
});

it('stops reading when it is disposed', async () => {
  const { revocations, queries, next } = simulate([page('s1', 'a')]);
  await revocations.start();
  await settled();
  await revocations[Symbol.asyncDispose]();
  next();
  await settled();
  expect(queries).toHaveLength(1);
  expect(revocations.isRevoked(claims('s1', 'c', 0))).toBe(true);
});
