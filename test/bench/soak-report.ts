import type { Facts } from '../support/invariants.js';
import type { MemoryLog } from './memory.js';
import { formatNumber, percentile, type SectionResult, type Target } from './report.js';

/** Fraction of the run after which the processes count as warmed up. */
const WARM_UP_SHARE = 0.4;
const SAMPLE_SHARE = 0.2;
const MAX_GROWTH = 1.15;
/** Minimum duration for the memory targets, in seconds: heaps take minutes to reach their size. */
const LONG_SECONDS = 300;
const MAX_SHOWN = 10;

/** A soak result. */
export interface SoakResult {
  seconds: number;
  facts: Facts;
  violations: string[];
  /** Number of repeated requests for accepted events, except those that a lost worker explains. */
  unexplained: number;
  repeats: number;
  delays: number[];
  kills: number;
  flushes: number;
  memory: Record<'api' | 'worker', MemoryLog>;
}

/** Reports a soak result as a benchmark section. */
export function soakReport(soak: SoakResult): SectionResult {
  const { facts, seconds, kills, flushes, delays, repeats, violations } = soak;
  const statuses = facts.exchanges.map(({ response }) => response?.status ?? 0);
  const states = facts.deliveries.map(({ state }) => state);
  const count = <T>(values: T[], value: T): number => values.filter((each) => each === value).length;
  const lost = facts.attempts.filter(({ error }) => error === 'worker_lost').length;
  const rows: [string, number | string][] = [
    ['requested customers', statuses.length],
    ['acknowledged with 201', count(statuses, 201)],
    ['rejected with 503', count(statuses, 503)],
    ['events a second', formatNumber(count(statuses, 201) / seconds)],
    ['deliveries', states.length],
    ['delivered', count(states, 'succeeded')],
    ['dead letters', count(states, 'failed')],
    [
      'neither delivered nor a dead letter',
      states.length - count(states, 'succeeded') - count(states, 'failed'),
    ],
    ['requests at targets', facts.requests.length],
    ['workers killed', kills],
    ['Redis flushed', flushes],
    ['attempts lost with a worker', lost],
    ['sent again after a 2xx', repeats],
    ...[0.5, 0.95, 0.99, 1].map((share): [string, string] => [
      `commit to first attempt, ${share === 1 ? 'longest' : `p${share * 100}`}`,
      `${formatNumber(percentile(delays, share))} ms`,
    ]),
    ...memoryRows(soak),
  ];
  return {
    table: [['', ''], ...rows.map(([name, value]) => [name, String(value)])],
    notes: [
      `${seconds} s; of 20 targets, one always fails and one hangs; a worker is killed every 30 s, and Redis is flushed twice.`,
      'The delays from commit to first attempt exclude the hanging target.',
      ...violations.slice(0, MAX_SHOWN).map((violation) => `VIOLATION ${violation}`),
    ],
    targets: targets(soak),
  };
}

const memoryRows = ({ memory }: SoakResult): [string, string][] =>
  Object.entries(memory).map(([name, log]) => [
    `memory of the ${name}: warm, at the end, slope`,
    `${formatNumber(log.mean(WARM_UP_SHARE, WARM_UP_SHARE + SAMPLE_SHARE))}, ${formatNumber(log.mean(1 - SAMPLE_SHARE, 1))} MiB, ${log.slope(WARM_UP_SHARE).toFixed(2)} MiB/min`,
  ]);

function targets({ seconds, violations, unexplained, facts, memory }: SoakResult): Target[] {
  const open = facts.deliveries.filter(({ state }) => state !== 'succeeded' && state !== 'failed').length;
  const mustBeZero = { bound: 0, direction: 'at most', unit: '', isRequired: true } as const;
  return [
    { name: 'violations of I1 to I8', value: violations.length, ...mustBeZero },
    { name: 'deliveries that are neither delivered nor a dead letter', value: open, ...mustBeZero },
    { name: 'repeated requests without a lost worker', value: unexplained, ...mustBeZero },
    ...Object.entries(memory).map(([name, log]): Target => ({
      name: `memory of the ${name} at the end, relative to the end of the warm-up`,
      value: log.mean(1 - SAMPLE_SHARE, 1) / log.mean(WARM_UP_SHARE, WARM_UP_SHARE + SAMPLE_SHARE),
      bound: MAX_GROWTH,
      direction: 'at most',
      unit: '',
      ...(seconds >= LONG_SECONDS ? { isRequired: true as const } : {}),
    })),
  ];
}
