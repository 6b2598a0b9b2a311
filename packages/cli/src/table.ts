import { printLine, printNote, printRecord, styled, type Printer, type Style } from './output.js';
import { visibleText } from './console-shared/visible-text.js';
import { fitText, widthOf } from './text-width.js';

export interface Column<Row> {
  title: string;
  value: (row: Row) => string | number | boolean | null | undefined;
  /** True for a column that is never shortened, such as an id that the user copies. */
  isFixed?: boolean;
  /** True for a column that is left out if the terminal is too narrow. The last optional column is left out first. */
  isOptional?: boolean;
  style?: (row: Row) => Style | null;
}

export interface Table<Row> {
  /** Prints rows. The first call also prints the titles. */
  print(rows: readonly Row[]): Promise<void>;
  /** Prints a note if there were no rows. */
  end(): Promise<void>;
}

const GAP = '  ';
/** Minimum width of a shortened column, in terminal columns. */
const MIN_WIDTH = 8;

/**
 * Creates a table whose first rows determine the width. On a terminal, it is at most as wide as the terminal: optional
 * columns are left out, then the widest ones are shortened, and if that is not enough, each row is printed as a record.
 * @param empty the note if there are no rows, such as "No customers"
 */
export function createTable<Row>(printer: Printer, columns: Column<Row>[], empty: string): Table<Row> {
  /** Null before the first rows. */
  let layout: Layout<Row> | 'records' | null = null;
  return {
    print: async (rows) => {
      if (rows.length === 0) return;
      const isFirst = layout === null;
      layout ??= fitLayout(printer, columns, rows) ?? 'records';
      if (layout === 'records') await printRecords(printer, columns, rows, isFirst);
      else await printRows(printer, layout, rows, isFirst);
    },
    end: async () => {
      if (layout === null) await printNote(printer, empty);
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

/** The printed columns, and their widths. */
interface Layout<Row> {
  columns: Column<Row>[];
  widths: number[];
}

/** Returns the layout for the terminal's width, or null if the rows do not fit. */
function fitLayout<Row>(
  { stdout }: Printer,
  columns: Column<Row>[],
  rows: readonly Row[],
): Layout<Row> | null {
  const columnWidth = (column: Column<Row>): number =>
    Math.max(widthOf(column.title), ...rows.map((row) => widthOf(cellText(column, row))));
  const limit = stdout.isTTY ? (stdout.columns ?? 80) : Infinity;
  const shown = columns.map((column) => ({ column, width: columnWidth(column) }));
  const excess = (): number =>
    shown.reduce((sum, { width }) => sum + width + GAP.length, -GAP.length) - limit;
  while (excess() > 0 && shown.some(({ column }) => column.isOptional)) {
    const last = shown.map(({ column }) => column.isOptional === true).lastIndexOf(true);
    shown.splice(last, 1);
  }
  while (excess() > 0) {
    const widest = shown
      .filter(({ column, width }) => !column.isFixed && width > Math.max(MIN_WIDTH, column.title.length))
      .reduce<{ width: number } | null>(
        (best, each) => (best && best.width >= each.width ? best : each),
        null,
      );
    if (!widest) return null;
    widest.width -= 1;
  }
  return { columns: shown.map(({ column }) => column), widths: shown.map(({ width }) => width) };
}

async function printRows<Row>(
  printer: Printer,
  { columns, widths }: Layout<Row>,
  rows: readonly Row[],
  hasTitles: boolean,
): Promise<void> {
  if (hasTitles) {
    const titles = columns.map(({ title }) => title);
    await printLine(printer, styled(printer, 'bold', joinCells(titles, widths)));
  }
  for (const row of rows) {
    const texts = columns.map((column, index) => {
      const text = cellText(column, row);
      return printer.stdout.isTTY && !column.isFixed ? fitText(text, widths[index]!) : text;
    });
    const addStyle = (text: string, index: number): string => {
      const style = columns[index]!.style?.(row);
      return style ? styled(printer, style, text) : text;
    };
    await printLine(printer, joinCells(texts, widths, addStyle));
  }
}

/** Joins cells into one line. The padding is computed before a style is added, because style codes take up no columns. */
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
