import { once } from 'node:events';
import type { Cli, Output } from './cli.js';
import { visibleJson, visibleText } from './console-shared/visible-text.js';
import { fitText } from './text-width.js';

/** The style codes (ECMA-48, SGR). */
const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

export type Style = keyof typeof STYLES;

/** The part of the environment that the output functions use. */
export type Printer = Pick<Cli, 'env' | 'stdout' | 'stderr' | 'signal'>;

/**
 * Writes a string and waits until the stream accepts more, so that a slow reader does not fill the memory. Returns at
 * once after a stream error, because the stream then never drains. main.ts handles the error.
 */
export async function write(output: Output, text: string): Promise<void> {
  if (!output.write(text) && !output.errored) await once(output, 'drain');
}

/** Prints one line to stdout. The line must be safe to print: pass untrusted values through `visibleText`. */
export const printLine = ({ stdout }: Printer, line = ''): Promise<void> => write(stdout, `${line}\n`);

/** Prints one line to stderr, so that stdout contains only results. */
export const printNote = ({ stderr }: Printer, line: string): Promise<void> => write(stderr, `${line}\n`);

/** Prints a value as one line of JSON. */
export const printJson = (printer: Printer, value: unknown): Promise<void> =>
  printLine(printer, visibleJson(value));

/** Adds a style to a string if the stream is a terminal that supports colors (https://no-color.org). */
export function styled(
  { env, stdout }: Pick<Printer, 'env' | 'stdout'>,
  style: Style,
  text: string,
  output: Output = stdout,
): string {
  return hasColors(env, output) ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text;
}

/** Returns true if a stream is a terminal that supports colors. */
export const hasColors = (env: Printer['env'], output: Output): boolean =>
  output.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';

/** Prints labels and values, one per line. Null values are printed as "-". */
export async function printRecord(
  printer: Printer,
  entries: [label: string, value: string | number | boolean | null | undefined][],
): Promise<void> {
  const width = Math.max(...entries.map(([label]) => label.length));
  for (const [label, value] of entries) {
    const text = value === null || value === undefined || value === '' ? '-' : visibleText(String(value));
    await printLine(printer, `${styled(printer, 'bold', `${label}:`.padEnd(width + 2))}${text}`);
  }
}

/** Formats a time from the API, in UTC: "2026-11-27 09:30:00Z". */
export const formatTime = (time: string | null | undefined): string =>
  time ? visibleText(time.replace('T', ' ').replace(/\.\d+Z$/, 'Z')) : '';

export interface Progress {
  /** Replaces the line. */
  update(text: string): void;
  /** Removes the line, so that other output can be printed. */
  clear(): void;
}

/** Creates a progress line on stderr, which is shown only on a terminal. */
export function createProgress({ env, stderr }: Printer): Progress {
  const isShown = stderr.isTTY === true && env['TERM'] !== 'dumb';
  let shown = '';
  return {
    update(text) {
      const line = fitText(visibleText(text), (stderr.columns ?? 80) - 1);
      if (!isShown || line === shown) return;
      stderr.write(`\r\u001b[K${line}`);
      shown = line;
    },
    clear() {
      if (shown) stderr.write('\r\u001b[K');
      shown = '';
    },
  };
}
