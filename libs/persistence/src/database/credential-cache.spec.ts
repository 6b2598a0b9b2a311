import { jest } from '@jest/globals';
import { CredentialCache } from './credential-cache.js';
import type { Tx } from './transactions.js';

describe('CredentialCache (AK-08)', () => {
  let cache: CredentialCache<{ version: number }>;
  beforeEach(() => {
    jest.useFakeTimers();
    // lru-cache treats a start time of 0 as missing.
    jest.advanceTimersByTime(1);
    cache = new CredentialCache();
  });
  afterEach(() => jest.useRealTimers());

  it('returns a value until a second after its lookup began', () => {
    const store = cache.startLookup('key');
    jest.advanceTimersByTime(400);
    store({ version: 1 });
    jest.advanceTimersByTime(599);
    expect(cache.get('key')).toEqual({ version: 1 });
    jest.advanceTimersByTime(2);
    expect(cache.get('key')).toBeUndefined();
  });

  it('does not store the result of a lookup that began before a change', () => {
    const store = cache.startLookup('key');
    cache.clear();
    store({ version: 1 });
    expect(cache.get('key')).toBeUndefined();
    cache.startLookup('key')({ version: 2 });
    expect(cache.get('key')).toEqual({ version: 2 });
  });

  it('is cleared when a transaction that changes credentials commits', () => {
    const tx = { afterCommit: [] } as unknown as Tx;
    cache.startLookup('key')({ version: 1 });
    cache.clearAfter(tx);
    expect(cache.get('key')).toEqual({ version: 1 });
    for (const handle of tx.afterCommit) handle();
    expect(cache.get('key')).toBeUndefined();
  });
});
