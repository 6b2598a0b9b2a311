import type { Page } from '@gatehouse/server';
import type { Command } from 'commander';
import type { Cli } from './cli.js';
import { usageError } from './cli-error.js';
import { parseNumber } from './options.js';
import { printJson, printNote } from './output.js';
import { createTable, type Column } from './table.js';
import { visibleText } from './console-shared/visible-text.js';

/** The options of a command that prints a list. */
export interface PageOptions {
  limit?: number;
  cursor?: string;
  all?: boolean;
}

/** The API's maximum page size. */
const LARGEST_PAGE = 200;

/** Adds these options to a command. */
export const addPageOptions = (command: Command): Command =>
  command
    .option('--limit <n>', 'number of records on the page, at most 200', parseNumber(1, LARGEST_PAGE))
    .option('--cursor <cursor>', 'continue after the previous page')
    .option('--all', 'print all pages');

export interface PageReader<Item> {
  /** Reads one page. */
  read: (query: { limit?: number; cursor?: string }) => Promise<Page<Item>>;
  columns: Column<Item>[];
  /** Note if there are no records, such as "No customers". */
  empty: string;
}

/** Prints one page of a list, or all pages: as a table, or one JSON object per line. */
export async function printPages<Item>(
  cli: Cli,
  { limit, cursor, all }: PageOptions,
  { read, columns, empty }: PageReader<Item>,
): Promise<void> {
  if (all && limit !== undefined) throw usageError('--all and --limit cannot be combined.');
  const size = all ? LARGEST_PAGE : limit;
  const table = createTable(cli, columns, empty);
  let next = cursor;
  for (;;) {
    const page = await read({ ...(size && { limit: size }), ...(next && { cursor: next }) });
    if (cli.isJson) for (const item of page.data) await printJson(cli, item);
    else await table.print(page.data);
    next = page.nextCursor ?? undefined;
    // With a filter, a page can be empty although more pages follow.
    if (!page.hasMore || !next) break;
    if (!all && page.data.length > 0) {
      await printNote(
        cli,
        `More: --cursor ${visibleText(next)} prints the next page, --all prints all pages.`,
      );
      return;
    }
  }
  if (!cli.isJson) await table.end();
}
