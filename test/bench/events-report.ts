import { processGroups, type Measurement, type ProcessGroup, type Tracked } from './events-bench.js';
import { formatNumber, formatRatio, median, percentile, type SectionResult } from './report.js';
import type { Program, StatementUse } from './statements.js';

type Details = NonNullable<SectionResult['details']>;

/** A measurement, with the bare insert rate in the same round. */
type Round = Measurement & { bareRate: number };

interface CaseRounds {
  name: string;
  rounds: Round[];
}

const TOP_STATEMENTS = 10;
const STATEMENT_LENGTH = 110;
const programs: Program[] = ['api', 'worker'];

/** An installation's process groups, without the client and the receiver. */
const measuredGroups: ProcessGroup[] = ['api', 'worker', 'PostgreSQL', 'Redis'];

/** Collects the measurements from all rounds. */
export class EventResults {
  private readonly cases: CaseRounds[] = [];
  private readonly tracked: { name: string; measurement: Measurement }[] = [];
  private readonly bareRates: number[] = [];

  /** @param bareRate bare inserts per second */
  startRound(bareRate: number): void {
    this.bareRates.push(bareRate);
  }

  /** Adds a measurement of the current round. */
  add(name: string, measurement: Measurement): void {
    const found = this.cases.find((each) => each.name === name);
    const entry = found ?? { name, rounds: [] };
    if (!found) this.cases.push(entry);
    entry.rounds.push({ ...measurement, bareRate: this.bareRates.at(-1)! });
  }

  /** Adds a tracked instance's measurement. */
  addTracked(name: string, measurement: Measurement): void {
    this.tracked.push({ name, measurement });
  }

  report(notes: string[]): SectionResult {
    const timed = this.cases.filter(({ rounds }) => rounds.some(({ delays }) => delays));
    const details = [
      ...(timed.length > 0 ? [delayTable(timed)] : []),
      ...(this.cases.length > 0 ? [activityTable(this.cases)] : []),
      ...(this.tracked.length > 0 ? [statementTotals(this.tracked)] : []),
      ...this.tracked.flatMap(({ name, measurement }) => topTables(name, measurement)),
    ];
    return {
      table: [
        ['', 'per second', 'rounds', 'to bare inserts', 'CPU s/1,000', ...processGroups],
        ['bare inserts', formatNumber(median(this.bareRates)), this.bareRates.map(formatNumber).join(', ')],
        ...this.cases.map((each) => [
          each.name,
          formatMedian(each, rate),
          each.rounds.map((round) => formatNumber(rate(round))).join(', '),
          formatRatio(median(each.rounds.map((round) => rate(round) / round.bareRate))),
          formatMedian(each, (round) => cpu(round, measuredGroups)),
          ...processGroups.map((group) => formatMedian(each, (round) => cpu(round, [group]))),
        ]),
      ],
      details,
      notes: [
        'CPU seconds per 1,000 events or, for a backlog, per 1,000 deliveries. The sum does not include the client and the receiver.',
        ...(this.tracked.length > 0
          ? ['NOTIFY: messages that a listener receives. They are not part of the statements.']
          : []),
        ...notes,
      ],
      targets: [],
    };
  }
}

const rate = ({ events, seconds }: Measurement): number => events / seconds;

const cpu = ({ usage, events }: Measurement, groups: readonly ProcessGroup[]): number =>
  (1_000 * groups.reduce((sum, group) => sum + usage[group].cpuSeconds, 0)) / events;

/** Formats the median of a value over the rounds. */
const formatMedian = ({ rounds }: CaseRounds, read: (round: Round) => number): string =>
  formatNumber(median(rounds.map(read)));

function delayTable(timed: CaseRounds[]): Details[number] {
  return {
    title: 'From the response to the arrival',
    table: [
      ['', 'p50 ms', 'p95 ms', 'p99 ms', 'max ms'],
      ...timed.map((each) => [
        each.name,
        ...[0.5, 0.95, 0.99, 1].map((share) =>
          formatMedian(each, ({ delays }) => percentile(delays!, share)),
        ),
      ]),
    ],
  };
}

function activityTable(cases: CaseRounds[]): Details[number] {
  return {
    title: 'Per event: wake-ups by process, write transactions, and WAL written by PostgreSQL',
    table: [
      ['', ...processGroups, 'transactions', 'WAL KiB'],
      ...cases.map((each) => [
        each.name,
        ...processGroups.map((group) =>
          formatMedian(each, (round) => round.usage[group].wakeUps / round.events),
        ),
        formatMedian(each, (round) => round.transactions / round.events),
        formatMedian(each, (round) => round.walBytes / round.events / 1_024),
      ]),
    ],
  };
}

/** Returns a row for each program. */
function statementTotals(tracked: { name: string; measurement: Measurement }[]): Details[number] {
  const header = ['statements', 'BEGIN', 'NOTIFY', 'plans', 'planning µs', 'executing µs', 'backends CPU ms'];
  const rows = tracked.flatMap(({ name, measurement: { tracked: use, events } }) =>
    programs.map((program) => {
      const own = use!.statements.filter((each) => each.program === program);
      const total = (read: (each: StatementUse) => number, all = own): string =>
        formatNumber(all.reduce((sum, each) => sum + read(each), 0) / events);
      return [
        `${name}: ${program}`,
        total(({ calls }) => calls),
        total(
          ({ calls }) => calls,
          own.filter(({ text }) => /^(BEGIN|START TRANSACTION)/i.test(text)),
        ),
        formatNumber(use!.notifications[program] / events),
        total(({ plans }) => plans),
        total(({ planningMs }) => 1_000 * planningMs),
        total(({ executingMs }) => 1_000 * executingMs),
        formatNumber((1_000 * use!.backends[program].cpuSeconds) / events),
      ];
    }),
  );
  return { title: 'Per event: statements by program', table: [['', ...header], ...rows] };
}

function topTables(name: string, { tracked, events }: Measurement): Details {
  const { statements, redis } = tracked!;
  const each = (value: number): string => formatNumber(value / events);
  const tables: Details = [
    {
      title: `${name}: the most expensive statements, per event`,
      table: [
        ['', 'program', 'calls', 'plans', 'planning µs', 'executing µs'],
        ...statements
          .slice(0, TOP_STATEMENTS)
          .map(({ text, program, calls, plans, planningMs, executingMs }) => [
            shorten(text),
            program,
            each(calls),
            each(plans),
            each(1_000 * planningMs),
            each(1_000 * executingMs),
          ]),
      ],
    },
  ];
  if (redis) tables.push(redisTable(name, redis, each));
  return tables;
}

function redisTable(
  name: string,
  { reads, writes, commands }: NonNullable<Tracked['redis']>,
  each: (value: number) => string,
): Details[number] {
  return {
    title: `${name}: Redis, per event; commands in scripts are included`,
    table: [
      ['', 'calls', 'µs'],
      ['reads from sockets', each(reads)],
      ['writes to sockets', each(writes)],
      ...commands
        .slice(0, TOP_STATEMENTS)
        .map(({ name: command, calls, microseconds }) => [command, each(calls), each(microseconds)]),
    ],
  };
}

/** Returns the beginning of a statement, without the columns that it selects. */
const shorten = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/^SELECT .{40,}? FROM (?=\w+( |$))/, 'SELECT … FROM ')
    .slice(0, STATEMENT_LENGTH);
