import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, loadavg, platform, release } from 'node:os';

/** A measured value and the bound that it must meet. */
export interface Target {
  name: string;
  value: number;
  bound: number;
  direction: 'at least' | 'at most';
  unit: string;
  /** True if the run fails when the target is missed. */
  isRequired?: true;
}

/** A benchmark section's result. */
export interface SectionResult {
  table: string[][];
  /** Further tables, each with a title. */
  details?: { title: string; table: string[][] }[];
  notes?: string[];
  targets: Target[];
}

/** Returns true if the value meets the target. */
export const isMet = ({ value, bound, direction }: Target): boolean =>
  direction === 'at least' ? value >= bound : value <= bound;

const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** Prints a section: tables whose first row is the header, notes and targets. */
export function printSection(
  title: string,
  { table, details = [], notes = [], targets }: SectionResult,
): void {
  for (const each of [{ title, table }, ...details]) printTable(each.title, each.table);
  for (const note of notes) print(`  ${note}`);
  for (const target of targets) print(`  ${targetLine(target)}`);
}

function printTable(title: string, table: string[][]): void {
  print(`\n${title}`);
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => (row[column] ?? '').length)));
  for (const row of table) {
    const cells = row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!),
    );
    print(`  ${cells.join('   ').trimEnd()}`);
  }
}

/** Prints all targets together. */
export function printTargets(targets: Target[]): void {
  print('\nTargets');
  for (const target of targets) print(`  ${targetLine(target)}`);
}

/** Prints a run's machine and software versions. */
export function printMachine(): void {
  const load = loadavg().map((value) => value.toFixed(2));
  print(`Gatehouse benchmark: ${new Date().toISOString()}`);
  print(
    `  ${availableParallelism()} cores, ${cpus()[0]?.model.trim() ?? 'unknown'}, ${platform()} ${release()}`,
  );
  print(`  Node.js ${process.versions.node}, Redis ${redisVersion()}, embedded PostgreSQL with fsync on`);
  print(`  load average before the run: ${load.join(' ')}; a loaded machine makes every measurement worse`);
}

/** Prints the current step to standard error, because a run takes minutes. */
export const printProgress = (text: string): void => void process.stderr.write(`  … ${text}\n`);

function redisVersion(): string {
  try {
    return (
      /v=(\S+)/.exec(execFileSync('redis-server', ['--version'], { encoding: 'utf8' }))?.[1] ?? 'unknown'
    );
  } catch {
    return 'not found';
  }
}

function targetLine(target: Target): string {
  const verdict = isMet(target) ? 'met   ' : 'MISSED';
  const { name, value, bound, direction, unit } = target;
  return `${verdict}  ${name}: ${Number.isInteger(value) ? value : formatNumber(value)}${unit}, target ${direction} ${bound}${unit}`;
}

/** Formats a number with three significant digits. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return '–';
  return value >= 100 ? String(Math.round(value)) : value.toFixed(value >= 10 ? 1 : 2);
}

/** Formats a ratio. Small ratios have two significant digits. */
export const formatRatio = (ratio: number): string =>
  `× ${ratio > 0 && ratio < 0.1 ? ratio.toPrecision(2) : formatNumber(ratio)}`;

/** Returns the median: the mean of the two middle values if the number of values is even. */
export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Returns the percentile for a share from 0 to 1 (nearest rank). */
export function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}
