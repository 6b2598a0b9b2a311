import { resolve } from 'node:path';
import type { TestInstance } from '../support/test-instance.js';
import { BenchInstance } from './bench-instance.js';
import { createPasswordHashes, measureSource, systemNames } from './import-sources.js';
import { formatNumber, formatRatio, median, printProgress, type SectionResult } from './report.js';

export interface BuildOptions {
  /** The other build's checkout. */
  against?: string;
  /** Number of imports of each system with each build. */
  rounds?: number;
  /** Number of customers per import. */
  samples?: number;
  /** Default: all. */
  systems?: string[];
}

/** A checkout's api and command line. */
interface Build {
  checkout: string;
  instance: TestInstance;
}

/** The rates of both builds in one round, in customers per second. */
interface Round {
  current: number;
  other: number;
}

/**
 * Imports each system's files with two builds in turn. Both builds keep running, so that load on the machine affects
 * both equally.
 * @throws Error if `against` is missing
 */
export async function compareImports({
  against,
  rounds = 6,
  samples = 20_000,
  systems = systemNames,
}: BuildOptions): Promise<SectionResult> {
  if (against === undefined) throw new Error('import-builds requires --against=<checkout>');
  const passwordHashes = createPasswordHashes();
  const builds = { current: await startBuild('.'), other: await startBuild(against) };
  const rows: string[][] = [];
  for (const system of systems) {
    const importInto = async ({ instance, checkout }: Build): Promise<number> =>
      (await measureSource(instance, system, passwordHashes, samples, checkout)).perSecond;
    for (const build of Object.values(builds)) await importInto(build);
    const results: Round[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      printProgress(`${system}, round ${round} of ${rounds}`);
      const result: Round = { current: 0, other: 0 };
      const order = round % 2 === 0 ? (['other', 'current'] as const) : (['current', 'other'] as const);
      for (const name of order) result[name] = await importInto(builds[name]);
      results.push(result);
    }
    rows.push(toRow(system, results));
  }
  return {
    table: [
      ['system', 'customers a second', 'other build', 'mean ratio', 'lowest to highest ratio'],
      ...rows,
    ],
    notes: [
      `${rounds} rounds with ${samples} customers each. The builds take turns to be first. Rates are medians, and the mean of the ratios is geometric.`,
    ],
    targets: [],
  };
}

/** Starts a checkout's programs, which migrate an empty database. */
async function startBuild(checkout: string): Promise<Build> {
  const programs = {
    api: resolve(checkout, 'dist/programs/api.js'),
    worker: resolve(checkout, 'dist/programs/webhook-worker.js'),
  };
  const bench = await BenchInstance.start({ programs, template: 'template1' });
  bench.startWorker();
  return { checkout, instance: bench.instance };
}

function toRow(system: string, results: Round[]): string[] {
  const ratios = results.map(({ current, other }) => current / other);
  const mean = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
  return [
    system,
    formatNumber(median(results.map(({ current }) => current))),
    formatNumber(median(results.map(({ other }) => other))),
    formatRatio(mean),
    `${formatRatio(Math.min(...ratios))} to ${formatRatio(Math.max(...ratios))}`,
  ];
}
