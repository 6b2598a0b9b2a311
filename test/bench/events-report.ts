import { processGroups, type Measurement, type ProcessGroup } from './events-bench.js';
import { formatNumber, formatRatio, median, percentile, type SectionResult } from './report.js';

export interface CaseResults {
  name: string;
  /** With the rate of bare inserts in the same round. */
  rounds: (Measurement & { bareRate: number })[];
}

/** The processes of an installation; the client and the receiver are not included. */
const measuredGroups: ProcessGroup[] = ['api', 'worker', 'PostgreSQL', 'Redis'];

const rate = ({ events, seconds }: Measurement): number => events / seconds;
const perThousand = (value: number, { events }: Measurement): number => (1_000 * value) / events;

const cpu = (measurement: Measurement, groups: readonly ProcessGroup[]): number =>
  perThousand(
    groups.reduce((sum, group) => sum + measurement.usage[group].cpuSeconds, 0),
    measurement,
  );

/** Formats the median of a value over the rounds. */
const over = ({ rounds }: CaseResults, read: (round: CaseResults['rounds'][number]) => number): string =>
  formatNumber(median(rounds.map(read)));

export function eventsReport(results: CaseResults[], bareRates: number[], notes: string[]): SectionResult {
  const timed = results.filter(({ rounds }) => rounds.some(({ delays }) => delays));
  return {
    table: [
      ['', 'per second', 'rounds', 'to bare inserts', 'CPU s/1,000', ...processGroups],
      ['bare inserts', formatNumber(median(bareRates)), bareRates.map(formatNumber).join(', ')],
      ...results.map((each) => [
        each.name,
        over(each, rate),
        each.rounds.map((round) => formatNumber(rate(round))).join(', '),
        formatRatio(median(each.rounds.map((round) => rate(round) / round.bareRate))),
        over(each, (round) => cpu(round, measuredGroups)),
        ...processGroups.map((group) => over(each, (round) => cpu(round, [group]))),
      ]),
    ],
    details: [
      ...(timed.length > 0 ? [{ title: 'From the response to the arrival', table: delayTable(timed) }] : []),
      {
        title: 'For each event: wake-ups by process, transactions that write, and log of PostgreSQL',
        table: [
          ['', ...processGroups, 'transactions', 'WAL KiB'],
          ...results.map((each) => [
            each.name,
            ...processGroups.map((group) => over(each, (round) => round.usage[group].wakeUps / round.events)),
            over(each, (round) => round.transactions / round.events),
            over(each, (round) => round.walBytes / round.events / 1_024),
          ]),
        ],
      },
    ],
    notes: [
      'CPU seconds for 1,000 events, or deliveries of a backlog; the sum does not include client and receiver.',
      'Bare inserts: single rows of the same size, each committed by one of ten connections.',
      ...notes,
    ],
    targets: [],
  };
}

function delayTable(results: CaseResults[]): string[][] {
  return [
    ['', 'p50 ms', 'p95 ms', 'p99 ms', 'max ms'],
    ...results.map((each) => [
      each.name,
      ...[0.5, 0.95, 0.99, 1].map((share) => over(each, ({ delays }) => percentile(delays!, share))),
    ]),
  ];
}
