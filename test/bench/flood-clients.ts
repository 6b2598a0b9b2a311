import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from './child.js';
import { exchange, getHeader, type Exchange } from './exchange.js';

/** Clients that log in again and again, each over a connection of its own. */
export interface Flood {
  url: string;
  headers: Record<string, string>;
  emails: string[];
  password: string;
  clients: number;
  seconds: number;
  /** Whether a client that is refused waits as long as it was told to. */
  isPolite: boolean;
}

export interface FloodResult {
  /** Answers by status, and by what was wrong with those that were not expected. */
  responses: Record<string, number>;
  /** Answers that cost a hash, 200 and 401, while all clients were there. */
  verified: number;
  /** How long those took, in ms, and those that were refused with 503. */
  verifiedMs: number[];
  refusedMs: number[];
  longestMs: number;
  /** How many clients were let in at least once. */
  servedClients: number;
  /** Of one core. */
  cpuShare: number;
  /** When the last client stopped asking, in ms since 1970. */
  endedAt: number;
}

/** One try of so many has a wrong password: far below the limit of failed logins. */
const WRONG_EVERY = 10;

/** They all come within this time, in ms: people do not press a button in the same millisecond. */
const ARRIVAL_MS = 1_000;

const expected = new Set([200, 401, 429, 503]);

/** 503 and 429 have to say when to come back; whoever got neither that nor an answer waits a second. */
const retryAfterMs = (answer: Exchange): number => 1_000 * Number(getHeader(answer, 'retry-after') ?? 1);

const describe = (answer: Exchange): string => {
  const { status, body, error } = answer;
  if (status === 0) return `no answer: ${error}`;
  if (!expected.has(status)) return `${status} ${body.slice(0, 200)}`;
  const isRefused = status === 429 || status === 503;
  return isRefused && !/^\d+$/.test(getHeader(answer, 'retry-after') ?? '')
    ? `${status} without Retry-After`
    : String(status);
};

async function flood(input: Flood): Promise<FloodResult> {
  const result: FloodResult = {
    responses: {},
    verified: 0,
    verifiedMs: [],
    refusedMs: [],
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
  for (let tries = index; performance.now() < end;) {
    const isWrong = tries % WRONG_EVERY === 0;
    const body = JSON.stringify({ email, password: isWrong ? `not ${password}` : password });
    const answer = await exchange(agent, { method: 'POST', url, headers, body });
    recordResponse(answer, result, performance.now() <= end);
    if (answer.status === 200 || answer.status === 401) {
      tries += 1;
      if (!isServed) result.servedClients += 1;
      isServed = true;
    } else if (client.isPolite || answer.status === 0) {
      // Nobody waits beyond the end, only to ask no more.
      const wait = retryAfterMs(answer);
      if (performance.now() + wait >= end) return;
      await sleep(wait);
    }
  }
}

function recordResponse(answer: Exchange, result: FloodResult, isInTime: boolean): void {
  const name = describe(answer);
  result.responses[name] = (result.responses[name] ?? 0) + 1;
  result.longestMs = Math.max(result.longestMs, answer.ms);
  if (answer.status === 503) result.refusedMs.push(answer.ms);
  if (answer.status !== 200 && answer.status !== 401) return;
  result.verifiedMs.push(answer.ms);
  if (isInTime) result.verified += 1;
}

serve({ flood });
