import { Failpoints } from './failpoints.js';
import type { Logger } from './logging/logger.js';
import type { TestCommands } from './test-commands.js';

describe('Failpoints', () => {
  const { kill } = process;
  const killed: unknown[][] = [];
  const logger = { warn: () => undefined } as unknown as Logger;
  beforeAll(() => {
    process.kill = (...args) => {
      killed.push(args);
      return true;
    };
  });
  afterAll(() => {
    process.kill = kill;
  });

  it('CF-03: without a name nothing is ever killed', () => {
    new Failpoints([], logger).hit('delivery.before-commit');
    new Failpoints(['delivery.before-enqueue'], logger).hit('delivery.before-commit');
    expect(killed).toEqual([]);
  });

  it('kills this very process at the named place', () => {
    new Failpoints(['delivery.before-commit'], logger).hit('delivery.before-commit');
    expect(killed).toEqual([[process.pid, 'SIGKILL']]);
  });

  it('holds what passes a place from "hold" to "release", and nothing else', async () => {
    const handlers = new Map<string, (name: string) => unknown>();
    const commands = { on: (name: string, handler: () => unknown) => handlers.set(name, handler) };
    const failpoints = new Failpoints([], logger, commands as unknown as TestCommands);
    const run = (command: string) => handlers.get(command)!('password.before-hash');
    expect(failpoints.pass('password.before-hash')).toBeUndefined();
    run('hold');
    const passed = [1, 2].map(async () => failpoints.pass('password.before-hash'));
    expect(run('held')).toBe(2);
    run('release');
    await Promise.all(passed);
    expect(failpoints.pass('password.before-hash')).toBeUndefined();
  });
});
