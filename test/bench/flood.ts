import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSession } from '../support/customers.js';
import { PASSWORD } from '../support/test-instance.js';
import { BenchInstance } from './bench-instance.js';
import { Child } from './child.js';
import type { Flood, FloodResult } from './flood-clients.js';
import type { Probe, Sample } from './flood-probe.js';
import { floodReport, type FloodRun } from './flood-report.js';
import { printProgress, type SectionResult } from './report.js';
import { mapInGroups, registerCustomers } from './requests.js';

const CLIENTS = 500;
const SECONDS = 30;
/** Four clients share a customer, so no customer reaches the limit on failed logins. */
const CUSTOMERS = 125;
/**
 * More sessions than the probe uses in 10 s, after which a request counts as hanging. A free session is therefore
 * always available.
 */
const PROBE_SESSIONS = 125;
const COST = 10;
const BASELINE_MS = 5_000;
/** Time after the flood in which the baseline must be reached again. */
const AFTER_MS = 8_000;
const WARM_UP_SECONDS = 6;
const RAW_SECONDS = 6;
/** The default number of hash threads. */
const THREADS = availableParallelism();

interface Stage {
  clients: Child;
  probe: Child;
  raw: Child;
  flood: Omit<Flood, 'seconds' | 'isPolite'>;
  probeOptions: Probe;
}

/**
 * Sends far more logins than the machine can hash, and measures how they and other requests are handled (requirements
 * RL-03, RL-04).
 */
export async function measureFlood({ seconds = SECONDS }: { seconds?: number }): Promise<SectionResult> {
  const bench = await BenchInstance.start({ env: { BCRYPT_COST: String(COST) } });
  const [clients, probe, raw] = [
    new Child('flood-clients'),
    new Child('flood-probe'),
    new Child('raw-bcrypt'),
  ];
  try {
    bench.startWorker();
    const { baseUrl, credentials } = bench.instance;
    const emails = await registerCustomers(bench.instance, CUSTOMERS);
    const sessions = await mapInGroups(emails.slice(0, PROBE_SESSIONS), (email) =>
      openSession(bench.instance, email),
    );
    const stage: Stage = {
      clients,
      probe,
      raw,
      flood: {
        url: `${baseUrl}/api/v1/auth/login`,
        headers: { 'x-publishable-key': credentials.publishableKey },
        emails,
        password: PASSWORD,
        clients: CLIENTS,
      },
      probeOptions: {
        baseUrl,
        accessToken: sessions[0]!.accessToken,
        refreshTokens: sessions.map(({ refreshToken }) => refreshToken),
      },
    };
    // Warm-up: compiled code is several times faster.
    await withProbe(stage, () => runFlood(stage, WARM_UP_SECONDS, true));
    const runs: FloodRun[] = [];
    let rawBefore = await measureRawRate(stage);
    for (const isPolite of [true, false]) {
      const run = await measureRun(stage, seconds, isPolite);
      const rawAfter = await measureRawRate(stage);
      runs.push({ ...run, rawBefore, rawAfter, threads: THREADS });
      rawBefore = rawAfter;
    }
    return floodReport(runs, [
      `${CLIENTS} clients of one project arrive within a second and stay for ${seconds} s. One password in ten is wrong.`,
      `bcrypt runs at cost ${COST}.`,
      'Another process sends ten requests a second to each of three other routes at the same time.',
      'Clients, api, worker and PostgreSQL share the cores with the hashes; raw bcrypt shares them with the probe alone.',
    ]);
  } finally {
    await Promise.all([clients.stop(), probe.stop(), raw.stop(), bench.stop()]);
  }
}

async function measureRun(
  stage: Stage,
  seconds: number,
  isPolite: boolean,
): Promise<Omit<FloodRun, 'rawBefore' | 'rawAfter' | 'threads'>> {
  printProgress(`clients that ${isPolite ? 'wait out' : 'ignore'} Retry-After`);
  let startedAt = 0;
  const { value, samples } = await withProbe(stage, async () => {
    await sleep(BASELINE_MS);
    startedAt = performance.timeOrigin + performance.now();
    const result = await runFlood(stage, seconds, isPolite);
    await sleep(AFTER_MS);
    return result;
  });
  return { ...value, isPolite, seconds, startedAt, samples };
}

/** Runs `work` while the probe sends requests. */
async function withProbe<T>(
  { probe, probeOptions }: Stage,
  work: () => Promise<T>,
): Promise<{ value: T; samples: Sample[] }> {
  await probe.call('start', probeOptions);
  const value = await work();
  return { value, samples: await probe.call<Sample[]>('stop') };
}

const runFlood = (stage: Stage, seconds: number, isPolite: boolean): Promise<FloodResult> =>
  stage.clients.call<FloodResult>('flood', { ...stage.flood, seconds, isPolite });

/** Measures raw bcrypt while the same probe runs, so that the probe's CPU usage affects both measurements. */
const measureRawRate = async (stage: Stage): Promise<number> => {
  const measure = { threads: THREADS, cost: COST, seconds: RAW_SECONDS };
  return (await withProbe(stage, () => stage.raw.call<number>('measure', measure))).value;
};
