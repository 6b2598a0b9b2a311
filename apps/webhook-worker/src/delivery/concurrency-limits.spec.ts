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

/** Calls `tryAcquire` repeatedly and returns the number of successful calls. */
const acquireRepeatedly = (
  limits: ConcurrencyLimits,
  times: number,
  keyFor: (index: number) => ConcurrencyKey,
): number =>
  Array.from({ length: times }, (_, index) => limits.tryAcquire(keyFor(index))).filter(Boolean).length;

describe('ConcurrencyLimits (WH-13)', () => {
  it('limits an endpoint to a quarter of the capacity, and then lists it as blocked', () => {
    const limits = createLimits(100);
    expect(acquireRepeatedly(limits, 30, () => concurrencyKey('hangs'))).toBe(25);
    expect([...limits.blockedEndpoints]).toEqual(['hangs']);
    expect(limits.tryAcquire(concurrencyKey('other'))).toBe(true);
  });

  it("limits a project's endpoints to three quarters of the capacity", () => {
    const limits = createLimits(100);
    expect(acquireRepeatedly(limits, 100, (index) => concurrencyKey(`e${index}`))).toBe(75);
    expect(limits.tryAcquire(concurrencyKey('e', 'another project'))).toBe(true);
  });

  it('limits events without a project only by their endpoint', () => {
    const limits = createLimits(100);
    expect(acquireRepeatedly(limits, 100, (index) => concurrencyKey(`e${index}`, null))).toBe(100);
  });

  it('limits retries to half and batches to a quarter, and leaves the rest to first attempts', () => {
    const limits = createLimits(100);
    expect(acquireRepeatedly(limits, 100, (index) => concurrencyKey(`e${index}`, `p${index}`, 1))).toBe(50);
    expect(acquireRepeatedly(limits, 100, (index) => concurrencyKey(`f${index}`, `q${index}`, 2))).toBe(25);
    expect(acquireRepeatedly(limits, 100, (index) => concurrencyKey(`g${index}`, `r${index}`))).toBe(25);
  });

  it('frees capacity on release', () => {
    const limits = createLimits(4);
    expect(limits.tryAcquire(concurrencyKey('one'))).toBe(true);
    expect(limits.tryAcquire(concurrencyKey('one'))).toBe(false);
    limits.release(concurrencyKey('one'));
    expect(limits.tryAcquire(concurrencyKey('one'))).toBe(true);
    expect(limits.releaseCount).toBe(1);
  });

  it('releases the endpoint after the response, and the worker after the outcome', () => {
    const limits = createLimits(4);
    limits.acquire(concurrencyKey('one'));
    limits.releaseTarget(concurrencyKey('one'));
    expect(limits.getCapacity(200)).toMatchObject({ limit: 3, inFlightByEndpoint: new Map() });
    limits.releaseWorker();
    expect(limits.getCapacity(200).limit).toBe(4);
  });

  it.each([
    ['the worker', 100, (index: number) => concurrencyKey(`e${index}`, null), 94],
    ['an endpoint', 100, () => concurrencyKey('e'), 19],
    ['a project', 100, (index: number) => concurrencyKey(`e${index}`), 69],
    ['retries', 100, (index: number) => concurrencyKey(`e${index}`, null, 1), 48],
  ])(
    'reports capacity for the given attempts only if they cannot exceed the limit of %s',
    (_, size, keyFor, used) => {
      const limits = createLimits(size);
      for (let index = 0; index < used; index += 1) limits.acquire(keyFor(index));
      expect(limits.hasCapacityFor([3, 2, 1])).toBe(true);
      limits.acquire(keyFor(used));
      expect(limits.hasCapacityFor([3, 2, 1])).toBe(false);
    },
  );

  it('allows one attempt of any urgency with a concurrency of one', () => {
    const limits = createLimits(1);
    expect(limits.tryAcquire(concurrencyKey('one', 'p', 2))).toBe(true);
    expect(limits.tryAcquire(concurrencyKey('other', 'q'))).toBe(false);
  });

  it('returns the limit, the remaining capacity for each urgency, and the attempts in flight', () => {
    const limits = createLimits(100);
    limits.acquire(concurrencyKey('one', 'p', 1));
    limits.acquire(concurrencyKey('one', 'p', 1));
    expect(limits.getCapacity(200)).toEqual({
      limit: 98,
      maxPerEndpoint: 25,
      maxPerProject: 75,
      inFlightByEndpoint: new Map([['one', 2]]),
      inFlightByProject: new Map([['p', 2]]),
      limitByUrgency: [100, 48, 25],
    });
  });
});

describe('exhaustedLimits', () => {
  const capacity = {
    limit: 9,
    maxPerEndpoint: 3,
    maxPerProject: 5,
    inFlightByEndpoint: new Map([['one', 1]]),
    inFlightByProject: new Map([['p', 1]]),
    limitByUrgency: [10, 5, 1],
  };
  const repeat = (count: number, keyFor: (index: number) => ConcurrencyKey): ConcurrencyKey[] =>
    Array.from({ length: count }, (_, index) => keyFor(index));

  it.each([
    ['no limit', [], {}],
    [
      'the limit of an endpoint',
      repeat(2, () => concurrencyKey('one', 'p')),
      { endpoints: ['one'], hasAny: true },
    ],
    [
      'the limit of a project',
      repeat(4, (index) => concurrencyKey(`e${index}`)),
      { projects: ['p'], hasAny: true },
    ],
    ['the limit of an urgency', [concurrencyKey('two', 'q', 2)], { urgencies: [2], hasAny: true }],
    ['the limit of the worker', repeat(9, (index) => concurrencyKey(`e${index}`, null)), { hasAny: true }],
  ])('reports %s as exhausted', (_, claimed, expected) =>
    expect(exhaustedLimits(capacity, claimed)).toEqual({
      endpoints: [],
      projects: [],
      urgencies: [],
      hasAny: false,
      ...expected,
    }),
  );
});
