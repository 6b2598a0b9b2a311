import { loadConfig } from '@gatehouse/platform';
import { exhaustedLimits, ConcurrencyLimits, type ConcurrencyKey } from './concurrency-limits.js';

const createLimits = (concurrency: number): ConcurrencyLimits =>
  new ConcurrencyLimits(
    loadConfig({ WEBHOOK_CONCURRENCY: String(concurrency), GATEHOUSE_SECRET: 'x7Kq9'.repeat(8) + Math.PI }),
  );

const concurrencyKey = (endpointId: string, projectId: string | null = 'p', urgency = 0): ConcurrencyKey => ({
  endpointId,
  projectId,
  urgency,
});

/** How many of these come in, one after the other. */
const acquireRepeatedly = (
  lanes: ConcurrencyLimits,
  times: number,
  of: (nth: number) => ConcurrencyKey,
): number => Array.from({ length: times }, (_, nth) => lanes.tryAcquire(of(nth))).filter(Boolean).length;

describe('lanes (WH-13)', () => {
  it('an endpoint holds a quarter at most, and is held when it is turned away', () => {
    const lanes = createLimits(100);
    expect(acquireRepeatedly(lanes, 30, () => concurrencyKey('hangs'))).toBe(25);
    expect([...lanes.blockedEndpoints]).toEqual(['hangs']);
    expect(lanes.tryAcquire(concurrencyKey('other'))).toBe(true);
  });

  it('the endpoints of a project hold three quarters at most', () => {
    const lanes = createLimits(100);
    expect(acquireRepeatedly(lanes, 100, (nth) => concurrencyKey(`e${nth}`))).toBe(75);
    expect(lanes.tryAcquire(concurrencyKey('e', 'another project'))).toBe(true);
  });

  it('events of no project are bound by their endpoint alone', () => {
    const lanes = createLimits(100);
    expect(acquireRepeatedly(lanes, 100, (nth) => concurrencyKey(`e${nth}`, null))).toBe(100);
  });

  it('retries hold a half and batches a quarter: together they leave a quarter to first attempts', () => {
    const lanes = createLimits(100);
    expect(acquireRepeatedly(lanes, 100, (nth) => concurrencyKey(`e${nth}`, `p${nth}`, 1))).toBe(50);
    expect(acquireRepeatedly(lanes, 100, (nth) => concurrencyKey(`f${nth}`, `q${nth}`, 2))).toBe(25);
    expect(acquireRepeatedly(lanes, 100, (nth) => concurrencyKey(`g${nth}`, `r${nth}`))).toBe(25);
  });

  it('what leaves makes room', () => {
    const lanes = createLimits(4);
    expect(lanes.tryAcquire(concurrencyKey('one'))).toBe(true);
    expect(lanes.tryAcquire(concurrencyKey('one'))).toBe(false);
    lanes.release(concurrencyKey('one'));
    expect(lanes.tryAcquire(concurrencyKey('one'))).toBe(true);
    expect(lanes.releaseCount).toBe(1);
  });

  it('a worker for one attempt at a time takes one of any kind', () => {
    const lanes = createLimits(1);
    expect(lanes.tryAcquire(concurrencyKey('one', 'p', 2))).toBe(true);
    expect(lanes.tryAcquire(concurrencyKey('other', 'q'))).toBe(false);
  });

  it('room: the limit, what is left of each urgency, and what is taken', () => {
    const lanes = createLimits(100);
    lanes.acquire(concurrencyKey('one', 'p', 1));
    lanes.acquire(concurrencyKey('one', 'p', 1));
    expect(lanes.getCapacity(200)).toEqual({
      limit: 98,
      maxPerEndpoint: 25,
      maxPerProject: 75,
      inFlightByEndpoint: new Map([['one', 2]]),
      inFlightByProject: new Map([['p', 2]]),
      limitByUrgency: [100, 48, 25],
    });
  });
});

describe('filled', () => {
  const room = {
    limit: 9,
    maxPerEndpoint: 3,
    maxPerProject: 5,
    inFlightByEndpoint: new Map([['one', 1]]),
    inFlightByProject: new Map([['p', 1]]),
    limitByUrgency: [10, 5, 1],
  };
  const times = (count: number, of: (nth: number) => ConcurrencyKey): ConcurrencyKey[] =>
    Array.from({ length: count }, (_, nth) => of(nth));

  it.each([
    ['nothing', [], {}],
    ['an endpoint', times(2, () => concurrencyKey('one', 'p')), { endpoints: ['one'], isAny: true }],
    ['a project', times(4, (nth) => concurrencyKey(`e${nth}`)), { projects: ['p'], isAny: true }],
    ['an urgency', [concurrencyKey('two', 'q', 2)], { urgencies: [2], isAny: true }],
    ['the limit', times(9, (nth) => concurrencyKey(`e${nth}`, null)), { isAny: true }],
  ])('%s', (_, claimed, expected) =>
    expect(exhaustedLimits(room, claimed)).toEqual({
      endpoints: [],
      projects: [],
      urgencies: [],
      isAny: false,
      ...expected,
    }),
  );
});
