import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from './child.js';
import { exchange, getHeader, type Exchange } from './exchange.js';

/** Clients that log in repeatedly, each over its own connection. */
export interface Flood {
  url: string;
  headers: Record<string, string>;
  emails: string[];
  password: string;
  clients: number;
  seconds: number;
  /** True if rejected clients wait for the delay in `Retry-After`. */
  isPolite: boolean;
}

export interface FloodResult {
  /** Number of responses by status. Unexpected responses are counted by their description. */
  responses: Record<string, number>;
  /** Number of responses that required a hash (200 and 401) while all clients were active. */
  verified: number;
  /** Durations of these responses, and of responses with 503, in ms. */
  verifiedMs: number[];
  rejectedMs: number[];
  longestMs: number;
  /** Number of clients that received at least one 200 or 401. */
  servedClients: number;
  /** The clients' CPU usage, as a share of one core. */
  cpuShare: number;
  /** The time at which the last client stopped, in ms since 1970. */
  endedAt: number;
}

/** One in this many attempts has a wrong password: few enough to stay far below the limit on failed logins. */
const WRONG_EVERY = 10;

/** Time in which all clients send their first request, in ms. Real clients do not all arrive at once. */
const ARRIVAL_MS = 1_000;

const expected = new Set([200, 401, 429, 503]);

/** Returns the delay in `Retry-After`, in ms. One second if the header or the response is missing. */
const retryAfterMs = (response: Exchange): number => 1_000 * Number(getHeader(response, 'retry-after') ?? 1);

const describe = (response: Exchange): string => {
  const { status, body, error } = response;
  if (status === 0) return `no response: ${error}`;
  if (!expected.has(status)) return `${status} ${body.slice(0, 200)}`;
  const isRejected = status === 429 || status === 503;
  return isRejected && !/^\d+$/.test(getHeader(response, 'retry-after') ?? '')
    ? `${status} without Retry-After`
    : String(status);
};

async function flood(input: Flood): Promise<FloodResult> {
  const result: FloodResult = {
    responses: {},
    verified: 0,
    verifiedMs: [],
    rejectedMs: [],
    longestMs: 0,
    servedClients: 0,
    cpuShare: 0,
    endedAt: 0,
  };
  const agent = new Agent({ keepAlive: true, maxFreeSockets: input.clients });
  const end = performance.now() + 1_000 * input.seconds;
  const cpu = process.cpuUsage();
  const clients = Array.from({ length: input.clients }, (_, index) =>
    runClient({ ...input, agent, end, index }, result),
  );
  await sleep(end - performance.now());
  const { user, system } = process.cpuUsage(cpu);
  result.cpuShare = (user + system) / 1e6 / input.seconds;
  result.endedAt = performance.timeOrigin + performance.now();
  await Promise.all(clients);
  agent.destroy();
  return result;
}

async function runClient(
  client: Flood & { agent: Agent; end: number; index: number },
  result: FloodResult,
): Promise<void> {
  const { url, headers, emails, password, agent, end, index } = client;
  const email = emails[index % emails.length]!;
  let isServed = false;
  await sleep((ARRIVAL_MS * index) / client.clients);
  for (let attempts = index; performance.now() < end;) {
    const isWrong = attempts % WRONG_EVERY === 0;
    const body = JSON.stringify({ email, password: isWrong ? `not ${password}` : password });
    const response = await exchange(agent, { method: 'POST', url, headers, body });
    recordResponse(response, result, performance.now() <= end);
    if (response.status === 200 || response.status === 401) {
      attempts += 1;
      if (!isServed) result.servedClients += 1;
      isServed = true;
    } else if (client.isPolite || response.status === 0) {
      // A client does not wait beyond the end of the flood.
      const wait = retryAfterMs(response);
      if (performance.now() + wait >= end) return;
      await sleep(wait);
    }
  }
}

function recordResponse(response: Exchange, result: FloodResult, isInTime: boolean): void {
  const name = describe(response);
  result.responses[name] = (result.responses[name] ?? 0) + 1;
  result.longestMs = Math.max(result.longestMs, response.ms);
  if (response.status === 503) result.rejectedMs.push(response.ms);
  if (response.status !== 200 && response.status !== 401) return;
  result.verifiedMs.push(response.ms);
  if (isInTime) result.verified += 1;
}

serve({ flood });
