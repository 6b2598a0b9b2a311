import { printLine, printNote, printRecord, styled, type Printer, type Style } from './output.js';
import { fitText, visibleText, widthOf } from './visible-text.js';

export interface Column<Row> {
  title: string;
  value: (row: Row) => string | number | boolean | null | undefined;
  /** Never shortened, such as an id that the reader copies. */
  isFixed?: boolean;
  style?: (row: Row) => Style | null;
}

export interface Table<Row> {
  /** Prints rows, below the titles with the first ones. */
  print(rows: readonly Row[]): Promise<void>;
  /** Prints a note if there was no row. */
  end(): Promise<void>;
}

const GAP = '  ';
/** Columns of the terminal that a shortened column keeps. */
const SHORTEST = 8;

/**
 * Returns a table as wide as its first rows require. On a terminal it is as wide as the terminal at most: the widest
 * columns are shortened, and if that does not suffice, each row is printed as a record.
 * @param empty the note if there is no row, such as "No customers"
 */
export function createTable<Row>(printer: Printer, columns: Column<Row>[], empty: string): Table<Row> {
  let widths: number[] | null = null;
  let isRecord = false;
  let isFirst = true;
  const printRows = async (rows: readonly Row[]): Promise<void> => {
    const cells = rows.map((row) => columns.map((column) => cellText(column, row)));
    const limit = printer.stdout.isTTY ? (printer.stdout.columns ?? 80) : Infinity;
    if (isFirst) {
      widths = fitColumns(columns, cells, limit);
      isRecord = widths === null;
    }
    if (isRecord) return printRecords(printer, columns, rows, isFirst);
    if (isFirst) {
      const titles = columns.map(({ title }) => title);
      await printLine(printer, styled(printer, 'bold', joinCells(titles, widths!)));
    }
    for (const [index, row] of rows.entries()) {
      const styles = columns.map(({ style }) => style?.(row) ?? null);
      const texts = cells[index]!.map((text, at) =>
        limit === Infinity || columns[at]!.isFixed ? text : fitText(text, widths![at]!),
      );
      await printLine(
        printer,
        joinCells(texts, widths!, (text, at) => (styles[at] ? styled(printer, styles[at], text) : text)),
      );
    }
  };
  return {
    print: async (rows) => {
      if (rows.length === 0) return;
      await printRows(rows);
      isFirst = false;
    },
    end: async () => {
      if (isFirst) await printNote(printer, empty);
    },
  };
}

/** Prints a table of these rows. */
export async function printTable<Row>(
  printer: Printer,
  columns: Column<Row>[],
  rows: readonly Row[],
  empty: string,
): Promise<void> {
  const table = createTable(printer, columns, empty);
  await table.print(rows);
  await table.end();
}

function cellText<Row>({ value }: Column<Row>, row: Row): string {
  const text = value(row);
  return text === null || text === undefined || text === '' ? '-' : visibleText(String(text));
}

/** Returns the widths of the columns, or null if they are wider than the limit even when they are shortened. */
function fitColumns<Row>(columns: Column<Row>[], cells: string[][], limit: number): number[] | null {
  const widths = columns.map(({ title }, index) =>
    Math.max(widthOf(title), ...cells.map((row) => widthOf(row[index]!))),
  );
  const shortest = columns.map(({ title, isFixed }, index) =>
    isFixed ? widths[index]! : Math.min(widths[index]!, Math.max(SHORTEST, title.length)),
  );
  const sum = (numbers: number[]): number => numbers.reduce((total, each) => total + each, 0);
  const available = limit - GAP.length * (columns.length - 1);
  if (sum(shortest) > available) return null;
  for (let excess = sum(widths) - available; excess > 0; excess -= 1) {
    const widest = widths.reduce(
      (best, width, index) => (width > shortest[index]! && width > (widths[best] ?? 0) ? index : best),
      -1,
    );
    widths[widest]! -= 1;
  }
  return widths;
}

/** Returns cells as one line. The style is added after the padding is known, because it takes no columns. */
function joinCells(
  texts: string[],
  widths: number[],
  addStyle: (text: string, index: number) => string = (text) => text,
): string {
  const isLast = (index: number): boolean => index === texts.length - 1;
  return texts
    .map((text, index) => {
      const padding = isLast(index) ? '' : ' '.repeat(Math.max(0, widths[index]! - widthOf(text)));
      return addStyle(text, index) + padding;
    })
    .join(GAP);
}

async function printRecords<Row>(
  printer: Printer,
  columns: Column<Row>[],
  rows: readonly Row[],
  isFirst: boolean,
): Promise<void> {
  for (const [index, row] of rows.entries()) {
    if (index > 0 || !isFirst) await printLine(printer);
    await printRecord(
      printer,
      columns.map(({ title, value }) => [title, value(row)]),
    );
  }
}
