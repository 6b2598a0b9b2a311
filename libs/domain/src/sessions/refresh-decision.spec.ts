import { decideRefresh, type RefreshGrace, type RefreshTokenChain } from './refresh-decision.js';

const now = new Date('2026-11-20T12:00:00.000Z');
const after = (ms: number) => new Date(now.getTime() + ms);

const chain: RefreshTokenChain = {
  generation: 5,
  rotatedAt: after(-1_000),
  idleExpiresAt: after(60_000),
  absoluteExpiresAt: after(60_000),
  revokedAt: null,
};

it.each<[string, Partial<RefreshTokenChain>, number[], ReturnType<typeof decideRefresh>, RefreshGrace?]>([
  [
    'TK-09: returns the same successor for the predecessor until the successor is used',
    { rotatedAt: after(-86_400_000) },
    [4],
    'same-successor',
  ],
  [
    'TK-09: includes the last millisecond of a grace period',
    { rotatedAt: after(-10_000) },
    [4],
    'same-successor',
    10,
  ],
  ['TK-09: ends a grace period a millisecond later', { rotatedAt: after(-10_001) }, [4], 'reused', 10],
  ['TK-09: rejects the predecessor without a grace period', {}, [4], 'reused', 0],
  ['TK-09: excludes older generations from the grace period', { rotatedAt: now }, [0, 1, 2, 3], 'reused'],
  [
    'TK-07: detects reuse of the predecessor after its successor has been used',
    { generation: 6, rotatedAt: now },
    [4],
    'reused',
  ],
  [
    'TK-07: detects reuse if a token has a later generation than the chain',
    { rotatedAt: now },
    [6],
    'reused',
  ],
  [
    'TK-07: does not accept a predecessor in a chain that never rotated',
    { generation: 1, rotatedAt: null },
    [0],
    'reused',
  ],
  [
    'TK-04: ends a session at its idle expiry, even within the grace period',
    { idleExpiresAt: now },
    [4, 1],
    'expired',
  ],
  ['TK-04: ends a session at its absolute expiry', { absoluteExpiresAt: now }, [4, 1], 'expired'],
  ['TK-10: treats a revoked session as ended', { revokedAt: now }, [4], 'ended'],
  [
    'TK-10: treats a revoked session as ended even if it has expired',
    { revokedAt: now, idleExpiresAt: now },
    [1],
    'ended',
  ],
])('%s', (_, changed, generations, decision, grace = 'until_used') => {
  for (const generation of generations)
    expect(decideRefresh({ ...chain, ...changed }, generation, grace, now)).toBe(decision);
});
