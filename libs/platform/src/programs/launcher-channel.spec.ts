import { requestWorkerMetrics } from './launcher-channel.js';

describe('requestWorkerMetrics', () => {
  const { connected, send } = process;
  const requests: unknown[] = [];
  const setLauncher = (isConnected: boolean) =>
    Object.assign(process, { connected: isConnected, send: (message: unknown) => requests.push(message) });
  const respond = (metrics: string | null) => process.emit('message', { metrics }, undefined);
  beforeEach(() => requests.splice(0));
  afterEach(() => Object.assign(process, { connected, send }));

  it('returns null immediately without a launcher', async () => {
    setLauncher(false);
    expect(await requestWorkerMetrics()).toBeNull();
    expect(requests).toEqual([]);
  });

  it('sends one request for concurrent calls, and another one for a later call', async () => {
    setLauncher(true);
    const responses = [requestWorkerMetrics(), requestWorkerMetrics()];
    respond('first');
    expect(await Promise.all(responses)).toEqual(['first', 'first']);
    const later = requestWorkerMetrics();
    respond('second');
    expect(await later).toBe('second');
    expect(requests).toEqual(['metrics', 'metrics']);
  });
});
