import type { Cli } from '../../cli.js';
import { printJson, printLine, styled, type Style } from '../../output.js';
import { visibleText } from '../../console-shared/visible-text.js';
import type { CheckResult } from './check-result.js';

const SYMBOLS: Record<CheckResult['status'], { symbol: string; style: Style }> = {
  ok: { symbol: '✓', style: 'green' },
  warning: { symbol: '!', style: 'yellow' },
  error: { symbol: '✗', style: 'red' },
  skipped: { symbol: '-', style: 'dim' },
};

/** Prints the results: one line for each check, followed by a line with the fix if it found a problem. */
export async function printReport(cli: Cli, results: readonly CheckResult[]): Promise<void> {
  if (cli.isJson) {
    for (const result of results) await printJson(cli, result);
    return;
  }
  const width = Math.max(...results.map(({ check }) => check.length));
  for (const { check, status, message, fix } of results) {
    const { symbol, style } = SYMBOLS[status];
    await printLine(cli, `${styled(cli, style, symbol)} ${check.padEnd(width)}  ${visibleText(message)}`);
    if (fix !== null) await printLine(cli, `  ${' '.repeat(width)}  Fix: ${visibleText(fix)}`);
  }
  await printLine(cli, `\n${summarize(results)}`);
}

function summarize(results: readonly CheckResult[]): string {
  const count = (status: CheckResult['status'], noun: string): string => {
    const { length } = results.filter((result) => result.status === status);
    return `${length} ${noun}${length === 1 ? '' : 's'}`;
  };
  const isClean = results.every(({ status }) => status === 'ok' || status === 'skipped');
  return isClean ? 'No problems found.' : `${count('error', 'error')}, ${count('warning', 'warning')}.`;
}
