import type { Agent } from 'node:http';
import { exchange, type HttpRequest } from './exchange.js';

const WARM_UP = 30;

/** One request's durations, in ms, in an instance with few rows and in one with many. */
export interface ComparedTimings {
  name: string;
  small: number[];
  large: number[];
}

/** A request to measure. If there are several rows or pages, `buildRequest` picks a different one each time. */
export interface TimedCase<Data> {
  name: string;
  buildRequest: (data: Data) => HttpRequest;
}

/**
 * Sends a request to both instances in turn, so that load on the machine affects both equally.
 * @throws Error for a status other than 200
 */
export async function compareSizes<Data>(
  agent: Agent,
  { name, buildRequest }: TimedCase<Data>,
  [few, many]: readonly [Data, Data],
  samples: number,
  warmUp = WARM_UP,
): Promise<ComparedTimings> {
  const timed: ComparedTimings = { name, small: [], large: [] };
  for (let round = -warmUp; round < samples; round += 1) {
    for (const [data, times] of [
      [few, timed.small],
      [many, timed.large],
    ] as const) {
      const { status, ms, body, error } = await exchange(agent, buildRequest(data));
      if (status !== 200) throw new Error(`${name}: ${status} ${error ?? body}`);
      if (round >= 0) times.push(ms);
    }
  }
  return timed;
}
