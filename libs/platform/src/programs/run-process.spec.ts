import { randomBytes } from 'node:crypto';
import { jest } from '@jest/globals';
import { runProcess, type RunnableService } from './run-process.js';

describe('runProcess', () => {
  /** The exit codes and signals with which the process would have exited. */
  let exits: unknown[];
  let busy: string[];
  beforeEach(() => {
    jest.useFakeTimers();
    exits = [];
    busy = [];
    Object.assign(process.env, {
      DATABASE_URL: 'postgres://gatehouse@127.0.0.1/none',
      GATEHOUSE_SECRET: randomBytes(32).toString('hex'),
      LOG_LEVEL: 'silent',
    });
    jest.spyOn(process, 'exit').mockImplementation((code) => exits.push(code) as never);
    jest.spyOn(process, 'kill').mockImplementation((_, signal) => {
      exits.push(signal);
      return true;
    });
    jest.spyOn(process, 'getActiveResourcesInfo').mockImplementation(() => busy);
  });
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
    for (const event of ['uncaughtException', 'unhandledRejection', 'SIGTERM', 'SIGINT', 'disconnect'])
      process.removeAllListeners(event);
  });

  const run = (stop: RunnableService['stop']): Promise<void> =>
    runProcess('service', () => Promise.resolve({ start: () => Promise.resolve(), stop }));
  const never = (): Promise<void> => new Promise(() => undefined);
  const fail = (): boolean => process.emit('uncaughtException', new Error('boom'));

  it('exits within five seconds after an unexpected error, even if the service does not stop', async () => {
    await run(never);
    fail();
    await jest.advanceTimersByTimeAsync(2_000);
    expect(exits).toEqual([]);
    fail();
    await jest.advanceTimersByTimeAsync(3_000);
    expect(exits).toEqual([1]);
  });

  it('exits within five seconds after an unexpected error during a shutdown', async () => {
    await run(never);
    process.emit('SIGTERM');
    await jest.advanceTimersByTimeAsync(5_000);
    fail();
    expect(exits).toEqual([]);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(exits).toEqual([1]);
  });

  it('does not start a service if a signal arrives before or while it is created', async () => {
    const calls: string[] = [];
    const create = (): Promise<RunnableService> => {
      calls.push('create');
      process.emit('SIGTERM');
      return Promise.resolve({ start: async () => void calls.push('start'), stop: never });
    };
    await runProcess('service', create);
    expect(calls).toEqual(['create']);
    const second = runProcess('service', create);
    process.emit('SIGTERM');
    await second;
    expect(calls).toEqual(['create']);
  });

  it('waits for calls in the thread pool before it exits', async () => {
    busy = ['FSReqCallback'];
    await run(() => Promise.resolve());
    process.emit('SIGTERM');
    await jest.advanceTimersByTimeAsync(1_000);
    expect(exits).toEqual([]);
    busy = ['Timeout'];
    await jest.advanceTimersByTimeAsync(1_000);
    expect(exits).toEqual([0]);
  });

  it('kills itself if a call in the thread pool never returns', async () => {
    busy = ['GetAddrInfoReqWrap'];
    await run(() => Promise.resolve());
    fail();
    await jest.advanceTimersByTimeAsync(5_000);
    expect(exits[0]).toBe('SIGKILL');
  });
});
