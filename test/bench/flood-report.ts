import type { FloodResult } from './flood-clients.js';
import { probedRoutes, type ProbedRoute, type Sample } from './flood-probe.js';
import { formatNumber, percentile, type SectionResult, type Target } from './report.js';

/** One flood, and the probe's samples before, during and after it. */
export interface FloodRun extends FloodResult {
  isPolite: boolean;
  seconds: number;
  /** The start time, in ms since 1970. */
  startedAt: number;
  samples: Sample[];
  /** Comparisons per second by bcrypt alone. */
  rawBefore: number;
  rawAfter: number;
  /** Number of threads in that measurement. */
  threads: number;
}

/** Number of consecutive responses that count as recovery if none is slower than the slowest one of the baseline. */
const RECOVERED_STREAK = 5;

const expectedStatuses = ['200', '401', '429', '503'];

const samplesDuring = ({ samples, startedAt, endedAt }: FloodRun, route: ProbedRoute): Sample[] =>
  samples.filter((sample) => sample.route === route && sample.at >= startedAt && sample.at < endedAt);

const durations = (samples: Sample[]): number[] => samples.map(({ ms }) => ms);

const baselineDurations = ({ samples, startedAt }: FloodRun, route: ProbedRoute): number[] =>
  durations(samples.filter((sample) => sample.route === route && sample.at < startedAt));

const rawRate = ({ rawBefore, rawAfter }: FloodRun): number => (rawBefore + rawAfter) / 2;

const loginRate = ({ verified, seconds }: FloodRun): number => verified / seconds;

/** Returns the time in ms from the end of the flood until `/me` is as fast as before, or Infinity if it never is. */
export function recoveryMs(run: FloodRun): number {
  const slowest = Math.max(...baselineDurations(run, 'GET /me'));
  const after = run.samples.filter(({ route, at }) => route === 'GET /me' && at >= run.endedAt);
  const isAsBefore = ({ ms, error }: Sample): boolean => ms <= slowest && error === undefined;
  const first = after.findIndex((_, index) => {
    const row = after.slice(index, index + RECOVERED_STREAK);
    return row.length === RECOVERED_STREAK && row.every(isAsBefore);
  });
  return first < 0 ? Infinity : after[first]!.at + after[first]!.ms - run.endedAt;
}

/** Compares the runs and lists their targets. */
export function floodReport(runs: FloodRun[], notes: string[]): SectionResult {
  const row = (name: string, cell: (run: FloodRun) => string): string[] => [name, ...runs.map(cell)];
  const spread = (values: number[]): string =>
    [0.5, 0.99, 1].map((share) => formatNumber(percentile(values, share))).join(' / ');
  return {
    table: [
      row('', ({ isPolite }) => (isPolite ? 'honoring Retry-After' : 'ignoring Retry-After')),
      ...expectedStatuses.map((status) =>
        row(`responses ${status}`, ({ responses }) => String(responses[status] ?? 0)),
      ),
      row('anything else', (run) => String(countUnexpected(run))),
      row('clients served', ({ servedClients }) => String(servedClients)),
      row('logins (200, 401) a second', (run) => formatNumber(loginRate(run))),
      row('raw bcrypt comparisons a second, before', ({ rawBefore }) => formatNumber(rawBefore)),
      row('raw bcrypt comparisons a second, after', ({ rawAfter }) => formatNumber(rawAfter)),
      row(
        'logins relative to raw bcrypt',
        (run) => `${formatNumber((100 * loginRate(run)) / rawRate(run))} %`,
      ),
      row('logins, p50 / p99 / max ms', ({ verifiedMs }) => spread(verifiedMs)),
      row('rejected 503, p50 / p99 / max ms', ({ rejectedMs }) => spread(rejectedMs)),
      row('longest request, ms', ({ longestMs }) => formatNumber(longestMs)),
      ...probedRoutes.flatMap((route) => [
        row(`${route} before, p50 / p99 / max ms`, (run) => spread(baselineDurations(run, route))),
        row(`${route} during the flood`, (run) => spread(durations(samplesDuring(run, route)))),
      ]),
      row('errors on these routes, during the flood and after it', (run) => String(findErrors(run).length)),
      row('time until /me is as fast as before, ms', (run) => formatNumber(recoveryMs(run))),
      row('cores that the clients used', ({ cpuShare }) => formatNumber(cpuShare)),
    ],
    notes: [...notes, ...runs.flatMap((run) => describeUnexpected(run))],
    targets: runs.flatMap(targets),
  };
}

const unexpectedResponses = ({ responses }: FloodRun): [string, number][] =>
  Object.entries(responses).filter(([name]) => !expectedStatuses.includes(name));

const countUnexpected = (run: FloodRun): number =>
  unexpectedResponses(run).reduce((sum, [, count]) => sum + count, 0);

const findErrors = ({ samples, startedAt }: FloodRun): Sample[] =>
  samples.filter(({ error, at }) => error !== undefined && at >= startedAt);

function describeUnexpected(run: FloodRun): string[] {
  return [
    ...unexpectedResponses(run).map(([name, count]) => `Unexpected response, ${count} times: ${name}`),
    ...new Set(findErrors(run).map(({ route, error }) => `${route} failed: ${error}`)),
  ];
}

function targets(run: FloodRun): Target[] {
  const name = (text: string): string => `${run.isPolite ? 'waiting' : 'impatient'} clients: ${text}`;
  const atMost = (text: string, value: number, bound: number, unit = ''): Target => ({
    name: name(text),
    value,
    bound,
    direction: 'at most',
    unit,
    isRequired: true,
  });
  const p99 = (values: number[]): number => percentile(values, 0.99);
  const commonTargets = [
    atMost('responses other than 200, 401, 429 and 503', countUnexpected(run), 0),
    atMost('errors on other routes', findErrors(run).length, 0),
  ];
  if (!run.isPolite) return commonTargets;
  const hashMs = (1_000 * run.threads) / rawRate(run);
  return [
    ...commonTargets,
    ...(['GET /me', 'POST refresh'] as const).map((route) =>
      atMost(`${route}, p99`, p99(durations(samplesDuring(run, route))), 100, ' ms'),
    ),
    atMost('GET /livez, p99', p99(durations(samplesDuring(run, 'GET /livez'))), 50, ' ms'),
    atMost('rejected 503, p99', p99(run.rejectedMs), 200, ' ms'),
    atMost('login wait before hashing, p99', p99(run.verifiedMs) - hashMs, 4_000, ' ms'),
    atMost('time until /me is as fast as before', recoveryMs(run), 3_000, ' ms'),
    {
      name: name('logins relative to raw bcrypt'),
      value: (100 * loginRate(run)) / rawRate(run),
      bound: 90,
      direction: 'at least',
      unit: ' %',
      isRequired: true,
    },
  ];
}
