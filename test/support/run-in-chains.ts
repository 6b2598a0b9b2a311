/**
 * Runs requests in a fixed number of parallel chains, sequentially in each chain: a closed loop, whose load decreases
 * on a busy machine instead of queueing up. A request may fail: the exchange history checks that.
 */
export async function runInChains(
  chains: number,
  perChain: number,
  request: (count: number) => Promise<unknown>,
): Promise<void> {
  const run = async (chain: number): Promise<void> => {
    for (let index = 0; index < perChain; index += 1)
      await request(index * chains + chain).catch(() => undefined);
  };
  await Promise.all(Array.from({ length: chains }, (_, chain) => run(chain)));
}
