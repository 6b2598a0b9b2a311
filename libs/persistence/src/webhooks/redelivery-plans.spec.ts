import { entireInstallation, MAX_BATCH_SIZE } from '@gatehouse/domain';
import type { Tx } from '../database/transactions.js';
import type { DeliveryFilter } from './delivery-filter.js';
import { planRedelivery } from './redelivery-plans.js';

/** Returns the plan for counts as returned by PostgreSQL. */
const planFrom = (counts: { scanned: number; matches: Record<string, number> }) => {
  const row = { eligible: 0, disabled: 0, endpointIds: [], ...counts };
  const tx = { execute: async () => [row] } as unknown as Tx;
  return planRedelivery(
    tx,
    '0199ffff-ffff-7fff-8fff-000000000000',
    entireInstallation,
    {} as DeliveryFilter,
    'true',
  );
};

describe('planRedelivery', () => {
  it.each([
    [{ scanned: MAX_BATCH_SIZE, matches: { '': MAX_BATCH_SIZE } }, false],
    [{ scanned: MAX_BATCH_SIZE + 1, matches: { '': MAX_BATCH_SIZE + 1 } }, true],
    [{ scanned: MAX_BATCH_SIZE + 1, matches: { '': 1, endpoint_disabled: MAX_BATCH_SIZE } }, true],
    [{ scanned: 2 * MAX_BATCH_SIZE, matches: { '': 1, discarded: 2 * MAX_BATCH_SIZE - 1 } }, false],
    [{ scanned: 2 * MAX_BATCH_SIZE + 1, matches: {} }, true],
  ])('returns isTooLarge for %j: %s', async (counts, isTooLarge) => {
    expect(await planFrom(counts)).toMatchObject({ isTooLarge });
  });
});
