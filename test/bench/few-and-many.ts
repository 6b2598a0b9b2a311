import type { Agent } from 'node:http';
import { exchange, type Question } from './exchange.js';

const WARM_UP = 30;

/** What one question took, in ms, in an instance with few rows and in one with many. */
export interface Timed {
  name: string;
  few: number[];
  many: number[];
}

/** A question; each time for another row or page where there are several. */
export interface Asking<Known> {
  name: string;
  ask: (known: Known) => Question;
}

/**
 * Asks both instances in turns, so that what slows the machine for a while slows both.
 * @throws Error for an answer other than 200
 */
export async function askBoth<Known>(
  agent: Agent,
  { name, ask }: Asking<Known>,
  [few, many]: readonly [Known, Known],
  samples: number,
  warmUp = WARM_UP,
): Promise<Timed> {
  const timed: Timed = { name, few: [], many: [] };
  for (let round = -warmUp; round < samples; round += 1) {
    for (const [known, times] of [
      [few, timed.few],
      [many, timed.many],
    ] as const) {
      const { status, ms, body, fault } = await exchange(agent, ask(known));
      if (status !== 200) throw new Error(`${name}: ${status} ${fault ?? body}`);
      if (round >= 0) times.push(ms);
    }
  }
  return timed;
}
