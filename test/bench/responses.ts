import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { errorCode, OutboundClient } from '@gatehouse/platform';
import { Child } from './child.js';
import { benchResponses } from './hostile-responses.js';
import { formatNumber, median, printProgress, type SectionResult } from './report.js';

const execute = promisify(execFile);

/** Number of requests for each response: for the warm-up, and for the measurement. */
const WARM_UP = 10;
const SAMPLES = 21;
/**
 * Number of concurrent requests for a response in many packets. Each takes seconds, so the CPU time of a single one
 * would not stand out from other work in the process.
 */
const CONCURRENT_SAMPLES = 100;
const CONCURRENT_RUNS = 3;
const TIMEOUT_MS = 10_000;
const MAX_BODY_BYTES = 16 * 1024;
/** Maximum CPU time per response, in ms (contract, section 5). */
const BOUND_MS = 5;
const SHOWN_CHARACTERS = 44;

interface Outcome {
  status: number;
  text: string;
  cpuMs: number;
  /** The CPU time outside the kernel, in ms. */
  userMs: number;
}

/** Measures the outbound client's CPU time for every kind of response, and compares its status with curl's. */
export async function measureResponses(): Promise<SectionResult> {
  const receiver = new Child('response-receiver');
  const client = OutboundClient.forTenantTargets({
    policy: { production: false, allowedCidrs: [] },
    dnsServers: [],
    timeoutMs: TIMEOUT_MS,
  });
  try {
    const origin = await receiver.call<string>('listen');
    // Warm-up: sends requests so that compilation is not measured.
    for (let i = 0; i < 200; i += 1) await send(client, `${origin}/0`);
    const rows: string[][] = [];
    const costs: number[] = [];
    for (const [index, { name, isTrickled }] of benchResponses.entries()) {
      if (index % 20 === 0) printProgress(`${index} of ${benchResponses.length}`);
      const url = `${origin}/${index}`;
      const { status, text, cpuMs } = await (isTrickled
        ? sendConcurrently(client, url)
        : sendInTurn(client, url));
      costs.push(cpuMs);
      rows.push([name, String(status), await sendWithCurl(url), formatNumber(cpuMs), shorten(text)]);
    }
    return {
      table: [['', 'status', 'curl', 'CPU ms', 'logged text or error'], ...rows],
      notes: [
        `CPU ms: CPU time of this process from the request to the logged body (median of ${SAMPLES} sequential requests).`,
        `If each byte arrives in its own packet: the user CPU time for ${CONCURRENT_SAMPLES} concurrent requests, divided by ${CONCURRENT_SAMPLES} (median of ${CONCURRENT_RUNS} runs).`,
        'The receiver is not included.',
        "curl: curl's exit code if it is not 0, and the status that curl received.",
      ],
      targets: [
        {
          name: 'CPU time for the most expensive response',
          value: Math.max(...costs),
          bound: BOUND_MS,
          direction: 'at most',
          unit: ' ms',
          isRequired: true,
        },
      ],
    };
  } finally {
    await receiver.stop();
  }
}

async function sendInTurn(client: OutboundClient, url: string): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  for (let nth = 0; nth < WARM_UP + SAMPLES; nth += 1) outcomes.push(await send(client, url));
  const cpuMs = median(outcomes.slice(WARM_UP).map((outcome) => outcome.cpuMs));
  return { ...outcomes.at(-1)!, cpuMs };
}

async function sendConcurrently(client: OutboundClient, url: string): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  for (let nth = 0; nth < CONCURRENT_RUNS; nth += 1)
    outcomes.push(await send(client, url, CONCURRENT_SAMPLES));
  // System time does not count: the kernel has to receive thousands of packets either way.
  const cpuMs = median(outcomes.map(({ userMs }) => userMs)) / CONCURRENT_SAMPLES;
  return { ...outcomes.at(-1)!, cpuMs };
}

/** Sends concurrent requests. @returns the outcome of one of them, with the CPU time of all */
async function send(client: OutboundClient, url: string, count = 1): Promise<Outcome> {
  const before = process.cpuUsage();
  const responses = await Promise.all(Array.from({ length: count }, () => request(client, url)));
  const { user, system } = process.cpuUsage(before);
  const [status, text] = responses[0]!;
  return { status, text, cpuMs: (user + system) / 1_000, userMs: user / 1_000 };
}

async function request(client: OutboundClient, url: string): Promise<[status: number, text: string]> {
  try {
    const response = await client.request({
      method: 'POST',
      url,
      headers: {},
      body: '{}',
      reuseConnection: true,
    });
    return [response.status, await response.excerpt(MAX_BODY_BYTES)];
  } catch (error) {
    return [0, errorCode(error)];
  }
}

async function sendWithCurl(url: string): Promise<string> {
  const options = ['--silent', '--output', '/dev/null', '--write-out', '%{http_code}', '--data', '{}'];
  return execute('curl', [...options, '--max-time', '10', url]).then(
    ({ stdout }) => stdout,
    ({ code, stdout }: { code: number | string; stdout?: string }) => `(${code}) ${stdout ?? ''}`,
  );
}

const shorten = (text: string): string => {
  const shown = JSON.stringify(text).slice(1, -1);
  return shown.length > SHOWN_CHARACTERS ? `${shown.slice(0, SHOWN_CHARACTERS)}…` : shown;
};
