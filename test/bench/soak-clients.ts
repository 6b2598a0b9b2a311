import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { uniqueEmail } from '../support/unique-email.js';
import { serve } from './child.js';

/** Customers that are created at a steady rate, in several projects in turn. */
export interface SoakLoad {
  url: string;
  /** One key per project. */
  secretKeys: string[];
  perSecond: number;
  seconds: number;
}

/** One request: its time (ms since 1970), its duration and its response; status 0 means no response. */
export interface SoakResponse {
  at: number;
  ms: number;
  status: number;
  customerId: string | null;
  retryAfter: string | null;
  error: string;
}

async function create({ url, secretKeys, perSecond, seconds }: SoakLoad): Promise<SoakResponse[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const total = perSecond * seconds;
  const began = performance.now();
  const responses: Promise<SoakResponse>[] = [];
  while (responses.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - began) * perSecond) / 1_000) + 1);
    while (responses.length < due)
      responses.push(createOne(agent, url, secretKeys[responses.length % secretKeys.length]!));
    await sleep(2);
  }
  const all = await Promise.all(responses);
  agent.destroy();
  return all;
}

function createOne(agent: Agent, url: string, secretKey: string): Promise<SoakResponse> {
  const [at, began] = [Date.now(), performance.now()];
  const body = JSON.stringify({ email: uniqueEmail() });
  const headers = {
    authorization: `Bearer ${secretKey}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  };
  return new Promise((resolve) => {
    const end = (outcome: Partial<SoakResponse>): void =>
      resolve({
        ...{ at, ms: performance.now() - began, status: 0, customerId: null, retryAfter: null, error: '' },
        ...outcome,
      });
    request(url, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.once('error', (error) => end({ error: error.message }));
      response.once('end', () => {
        const status = response.statusCode!;
        const customerId = status === 201 ? (JSON.parse(text) as { id: string }).id : null;
        end({ status, customerId, retryAfter: response.headers['retry-after'] ?? null });
      });
    })
      .once('error', (error) => end({ error: error.message }))
      .end(body);
  });
}

serve({ create });
