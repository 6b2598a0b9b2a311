import { eventually } from '../support/eventually.js';
import { PASSWORD, type TestInstance } from '../support/test-instance.js';
import type { Child } from './child.js';
import type { PacedResult } from './load.js';
import { printProgress } from './report.js';

/** Delays are not counted during the warm-up, in which code is compiled and connections are opened. */
const WARM_UP_MS = 2_000;

/** Milliseconds from a commit to the first request at the receiver. */
export type Delays = number[];

export interface PacedEvents {
  receiver: Child;
  load: Child;
  url: string;
  /** The customers who log in. */
  emails: string[];
  perSecond: number;
  seconds: number;
}

/**
 * Measures the delivery delays of login events at a steady rate. The endpoint receives one of the two events that a
 * login creates. The instance should use a low BCRYPT_COST, so that hashing does not limit the rate.
 */
export async function measureCommitDelays(instance: TestInstance, events: PacedEvents): Promise<Delays> {
  const { receiver, load, url, emails, perSecond, seconds } = events;
  const endpoint = await instance.createEndpoint(url, ['login.succeeded']);
  const since = new Date();
  const responses = await load.call<PacedResult>('pace', {
    url: `${instance.baseUrl}/api/v1/auth/login`,
    headers: { 'x-publishable-key': instance.credentials.publishableKey },
    bodies: emails.map((email) => JSON.stringify({ email, password: PASSWORD })),
    perSecond,
    seconds,
  });
  // On a busy machine the api rejects some logins, which lowers the measured rate.
  const { 200: accepted = 0, ...rejected } = responses;
  if (Object.keys(rejected).length > 0) printProgress(`rejected, by status: ${JSON.stringify(rejected)}`);
  const count = (): Promise<number> => receiver.call<number>('count');
  await eventually('all events at the receiver', async () => (await count()) >= accepted);
  const commits = await instance.sql<{ id: string; at: number }>(
    `SELECT 'evt_' || id AS id, (extract(epoch FROM pg_xact_commit_timestamp(xmin)) * 1000)::float8 AS at
     FROM events WHERE type = 'login.succeeded' AND created_at >= $1`,
    [since],
  );
  await instance.requestWithSecretKey('DELETE', `/v1/webhooks/endpoints/${endpoint.id}`);
  return computeDelays(
    commits.map(({ id, at }) => [id, at]),
    await readArrivals(receiver),
  );
}

/** Returns the time at which each event first arrived, in ms since 1970. */
export const readArrivals = async (receiver: Child): Promise<Map<string, number>> =>
  new Map(await receiver.call<[string, number][]>('arrivals'));

export function computeDelays(starts: [string, number][], ends: Map<string, number>): Delays {
  const warmUntil = Math.min(...starts.map(([, at]) => at)) + WARM_UP_MS;
  return starts.filter(([, at]) => at >= warmUntil).map(([id, at]) => ends.get(id)! - at);
}
