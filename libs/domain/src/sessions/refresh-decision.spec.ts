import { decideRefresh, REFRESH_GRACE_MS, type RefreshLine } from './refresh-decision.js';

const now = new Date('2026-11-20T12:00:00.000Z');
const after = (ms: number) => new Date(now.getTime() + ms);

const line = (changed: Partial<RefreshLine> = {}): RefreshLine => ({
  generation: 5,
  rotatedAt: after(-1_000),
  idleExpiresAt: after(60_000),
  absoluteExpiresAt: after(60_000),
  revokedAt: null,
  ...changed,
});

describe('decideRefresh', () => {
  it('TK-09: the immediate predecessor gets the same successor within the grace', () => {
    expect(decideRefresh(line(), 4, now)).toBe('same-successor');
  });

  it('TK-09: the grace is ten seconds and not a millisecond more', () => {
    expect(REFRESH_GRACE_MS).toBe(10_000);
    expect(decideRefresh(line({ rotatedAt: after(-10_000) }), 4, now)).toBe('same-successor');
    expect(decideRefresh(line({ rotatedAt: after(-10_001) }), 4, now)).toBe('reused');
  });

  it.each([0, 1, 2, 3])('TK-09: generation %d of 5 is never in the grace', (generation) => {
    expect(decideRefresh(line({ rotatedAt: now }), generation, now)).toBe('reused');
  });

  it('TK-07: the predecessor is reused once its successor has been spent', () => {
    expect(decideRefresh(line({ generation: 6, rotatedAt: now }), 4, now)).toBe('reused');
  });

  it('TK-07: a token from the future is a fork of the line, and counts as reuse', () => {
    expect(decideRefresh(line({ rotatedAt: now }), 6, now)).toBe('reused');
  });

  it('TK-07: a line that never rotated has no predecessor', () => {
    expect(decideRefresh(line({ generation: 1, rotatedAt: null }), 0, now)).toBe('reused');
  });

  it.each([
    ['idle', { idleExpiresAt: now }],
    ['absolute', { absoluteExpiresAt: now }],
  ])('TK-04: at its %s end the session has expired, grace or not', (_, changed) => {
    expect(decideRefresh(line(changed), 4, now)).toBe('expired');
    expect(decideRefresh(line(changed), 1, now)).toBe('expired');
  });

  it('TK-10: a revoked session has ended, whatever else holds', () => {
    expect(decideRefresh(line({ revokedAt: now }), 4, now)).toBe('ended');
    expect(decideRefresh(line({ revokedAt: now, idleExpiresAt: now }), 1, now)).toBe('ended');
  });
});
