import { setTimeout as sleep } from 'node:timers/promises';
import { registerCustomer } from '../support/customers.js';
import { PASSWORD, type TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';
import { BenchInstance } from './bench-instance.js';
import { readMemory } from './memory.js';
import { formatNumber, printProgress, type SectionResult, type Target } from './report.js';

const IMPORTS = 16;
const CUSTOMERS = 1_000;
/** Body size, in bytes. */
const BODY_BYTES = 14 * 1_000_000;
/** Number of values in each of the two metadata objects: the most that an import accepts. */
const VALUES = 240;
/** The api's memory, in MiB. */
const SIZES = [512, 256];
const SIGN_IN_PAUSE_MS = 500;
const MAX_ATTEMPTS = 200;
const JSON_TYPE = { 'content-type': 'application/json' };

/** Request body content in a run. */
type Shape = 'long strings' | 'small values' | 'empty lists';
const shapes: Shape[] = ['long strings', 'small values', 'empty lists'];

interface Result {
  shape: Shape;
  sizeMiB: number;
  restMiB: number;
  /** Peak resident memory, and the peak without file pages. The second value is sampled every 50 ms. */
  peakMiB: number;
  anonymousMiB: number;
  isRunning: boolean;
  /** Response counts by status. `none` counts connections that ended before the response. */
  imports: Record<string, number>;
  signIns: Record<string, number>;
  slowestSignInMs: number;
}

/**
 * Sends 16 concurrent imports of 14 MB each with one key, while a customer signs in. An import that is rejected with
 * 503 is repeated after its `Retry-After`. `--max-old-space-size` is half the memory, the Node.js default in a
 * container with that memory.
 */
export async function measureBodies({ samples = IMPORTS }: { samples?: number }): Promise<SectionResult> {
  const results: Result[] = [];
  for (const sizeMiB of SIZES) {
    for (const shape of shapes) {
      printProgress(`${sizeMiB} MiB, ${shape}`);
      results.push(await measure(sizeMiB, shape, samples));
    }
  }
  return report(results);
}

async function measure(sizeMiB: number, shape: Shape, parallel: number): Promise<Result> {
  const env = {
    BCRYPT_COST: '10',
    RATE_LIMITS: 'off',
    NODE_OPTIONS: `--max-old-space-size=${sizeMiB / 2}`,
  };
  const bench = await BenchInstance.start({ env });
  try {
    const { instance } = bench;
    const [pid] = bench.pids('api');
    const { email } = await registerCustomer(instance);
    const rest = readMemory(pid!);
    const log = new MemoryWatch(pid!);
    const done = new AbortController();
    const signIns = signInUntil(instance, email, done.signal);
    const imports: Record<string, number> = {};
    await Promise.all(
      Array.from({ length: parallel }, () => importUntilAccepted(instance, newBody(shape), imports)),
    );
    done.abort();
    const { counts, slowestMs } = await signIns;
    return {
      shape,
      sizeMiB,
      restMiB: rest.resident,
      ...log.peaks(),
      isRunning: log.isRunning(),
      imports,
      signIns: counts,
      slowestSignInMs: slowestMs,
    };
  } finally {
    await bench.stop();
  }
}

/** Records a process's peak memory. The result remains available after the process has ended. */
class MemoryWatch {
  private peakMiB = 0;
  private anonymousMiB = 0;
  private readonly timer = setInterval(() => this.read(), 50);

  constructor(private readonly pid: number) {
    this.read();
  }

  peaks(): Pick<Result, 'peakMiB' | 'anonymousMiB'> {
    this.read();
    clearInterval(this.timer);
    return { peakMiB: this.peakMiB, anonymousMiB: this.anonymousMiB };
  }

  isRunning(): boolean {
    try {
      return readMemory(this.pid).resident > 0;
    } catch {
      return false;
    }
  }

  private read(): void {
    try {
      const { peak, anonymous } = readMemory(this.pid);
      this.peakMiB = Math.max(this.peakMiB, peak);
      this.anonymousMiB = Math.max(this.anonymousMiB, anonymous);
    } catch {
      // The process has ended.
    }
  }
}

function newBody(shape: Shape): Buffer {
  if (shape === 'empty lists') return Buffer.from(`{"customers":[${'[],'.repeat(BODY_BYTES / 3 - 10)}[]]}`);
  const each = BODY_BYTES / CUSTOMERS;
  const metadata =
    shape === 'long strings'
      ? { text: 'x'.repeat(each / 2 - 100) }
      : {
          values: Array.from({ length: VALUES }, (_, index) => index),
          text: 'x'.repeat(each / 2 - 7 * VALUES),
        };
  const customers = Array.from({ length: CUSTOMERS }, () => ({
    email: uniqueEmail(),
    metadata,
    publicMetadata: metadata,
  }));
  return Buffer.from(JSON.stringify({ customers }));
}

async function importUntilAccepted(
  instance: TestInstance,
  body: Buffer,
  counts: Record<string, number>,
): Promise<void> {
  const url = `${instance.baseUrl}/api/v1/customers/import`;
  const headers = { ...JSON_TYPE, authorization: `Bearer ${instance.credentials.secretKey}` };
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const response = await fetch(url, { method: 'POST', headers, body }).catch(() => null);
    count(counts, response?.status);
    await response?.text().catch(() => undefined);
    if (response?.status !== 503) return;
    await sleep(Number(response.headers.get('retry-after')) * 1_000);
  }
}

async function signInUntil(instance: TestInstance, email: string, signal: AbortSignal) {
  const counts: Record<string, number> = {};
  const headers = { ...JSON_TYPE, 'x-publishable-key': instance.credentials.publishableKey };
  const body = JSON.stringify({ email, password: PASSWORD });
  let slowestMs = 0;
  while (!signal.aborted) {
    const started = performance.now();
    const response = await fetch(`${instance.baseUrl}/api/v1/auth/login`, {
      method: 'POST',
      headers,
      body,
    }).catch(() => null);
    await response?.text().catch(() => undefined);
    slowestMs = Math.max(slowestMs, performance.now() - started);
    count(counts, response?.status);
    await sleep(SIGN_IN_PAUSE_MS);
  }
  return { counts, slowestMs };
}

function count(counts: Record<string, number>, status: number | undefined): void {
  const name = String(status ?? 'none');
  counts[name] = (counts[name] ?? 0) + 1;
}

const listCounts = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([status, number]) => `${status}: ${number}`)
    .join(', ');

function report(results: Result[]): SectionResult {
  const table = [
    ['bodies', 'memory', 'idle', 'peak', 'anonymous', 'api', 'imports', 'sign-ins', 'slowest'],
    ...results.map((result) => [
      result.shape,
      `${result.sizeMiB} MiB`,
      `${formatNumber(result.restMiB)} MiB`,
      `${formatNumber(result.peakMiB)} MiB`,
      `${formatNumber(result.anonymousMiB)} MiB`,
      result.isRunning ? 'running' : 'ended',
      listCounts(result.imports),
      listCounts(result.signIns),
      `${formatNumber(result.slowestSignInMs)} ms`,
    ]),
  ];
  const targets = results.map(({ shape, sizeMiB, anonymousMiB, isRunning }): Target => ({
    name: `peak memory without file pages: ${shape}, ${sizeMiB} MiB`,
    value: isRunning ? anonymousMiB : Infinity,
    bound: sizeMiB,
    direction: 'at most',
    unit: 'MiB',
  }));
  return { table, targets };
}
