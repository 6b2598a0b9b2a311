import { Failpoints } from './failpoints.js';
import type { Logger } from './logging/logger.js';

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
});
