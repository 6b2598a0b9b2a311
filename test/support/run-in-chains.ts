/**
 * Runs requests in a fixed number of parallel chains, one after the other in each chain. This is a closed loop: on a
 * busy machine, the load decreases instead of queueing up. Requests may fail: the exchange history is checked
 * instead.
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
