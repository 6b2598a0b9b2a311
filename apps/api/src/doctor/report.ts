import type { CheckResult } from './check-result.js';

type Status = CheckResult['status'];

const symbols: Record<Status, string> = { ok: '✓', warning: '!', error: '✗', skipped: '-' };

const count = (results: CheckResult[], status: Status): number =>
  results.filter((result) => result.status === status).length;

/** Returns true if no check failed. */
export const isWorking = (results: CheckResult[]): boolean => count(results, 'error') === 0;

/**
 * Returns the report for scripts: one JSON object per line, in the same format as the output of `gatehouse doctor --json`
 * (package @gatehouse/cli).
 */
export const toJson = (results: CheckResult[]): string =>
  results.map((result) => `${JSON.stringify(result)}\n`).join('');

/** Returns the human-readable report: a line for each check, and a line for each fix. */
export function toText(results: CheckResult[]): string {
  const width = Math.max(...results.map(({ check }) => check.length));
  const lines = results.flatMap(({ check, status, message, fix }) => [
    `${symbols[status]} ${check.padEnd(width)}  ${toLine(message)}`,
    ...(fix === null ? [] : [`  ${' '.repeat(width)}  Fix: ${toLine(fix)}`]),
  ]);
  return `${lines.join('\n')}\n\n${summary(count(results, 'error'), count(results, 'warning'))}\n`;
}

/** Returns a message from another server without line breaks and control characters. */
// oxlint-disable-next-line no-control-regex -- the pattern matches control characters
const toLine = (text: string): string => text.replaceAll(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();

function summary(errors: number, warnings: number): string {
  const plural = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;
  if (errors + warnings === 0) return 'No problems found.';
  return `${plural(errors, 'error')}, ${plural(warnings, 'warning')}.`;
}
