import type { Agent } from 'node:http';
import { exchange, type HttpRequest } from './exchange.js';

const WARM_UP = 30;

/** What one question took, in ms, in an instance with few rows and in one with many. */
export interface ComparedTimings {
  name: string;
  small: number[];
  large: number[];
}

/** A question; each time for another row or page where there are several. */
export interface TimedCase<Known> {
  name: string;
  buildRequest: (known: Known) => HttpRequest;
}

/**
 * Asks both instances in turns, so that what slows the machine for a while slows both.
 * @throws Error for an answer other than 200
 */
export async function compareSizes<Known>(
  agent: Agent,
  { name, buildRequest }: TimedCase<Known>,
  [few, many]: readonly [Known, Known],
  samples: number,
  warmUp = WARM_UP,
): Promise<ComparedTimings> {
  const timed: ComparedTimings = { name, small: [], large: [] };
  for (let round = -warmUp; round < samples; round += 1) {
    for (const [known, times] of [
      [few, timed.small],
      [many, timed.large],
    ] as const) {
      const { status, ms, body, error } = await exchange(agent, buildRequest(known));
      if (status !== 200) throw new Error(`${name}: ${status} ${error ?? body}`);
      if (round >= 0) times.push(ms);
    }
  }
  return timed;
}
