import { csvLine } from './csv-line.js';

/** Number of rows per page. A page of customers with the largest possible metadata takes 3 MB. */
const PAGE_SIZE = 200;

/** A page of rows, and the position after which the next page starts; null at the end. */
export interface CsvPage<Row, Position> {
  items: Row[];
  next: Position | null;
}

export interface CsvFile<Row> {
  /** Functions that return a row's cells, by column name. */
  columns: Record<string, (row: Row) => string | null>;
  maxRows: number;
  /** First cell of the last line if there are more rows. */
  truncationText: string;
}

/**
 * Yields a CSV file page by page, starting with the column names. If there are more than `maxRows` rows, the
 * last line contains `truncationText`.
 * @param read returns up to `limit` rows, and the position after which the next page starts
 */
export async function* csvPages<Row, Position>(
  { columns, maxRows, truncationText }: CsvFile<Row>,
  read: (after: Position | null, limit: number) => Promise<CsvPage<Row, Position>>,
): AsyncGenerator<string> {
  const [names, cells] = [Object.keys(columns), Object.values(columns)];
  yield csvLine(names);
  let remaining = maxRows;
  for (let after: Position | null = null; ;) {
    // Reads one row more than it exports, because a page can be short and a next position does not mean that
    // more rows exist.
    const { items, next } = await read(after, Math.min(PAGE_SIZE, remaining + 1));
    yield items
      .slice(0, remaining)
      .map((row) => csvLine(cells.map((cell) => cell(row))))
      .join('');
    if (items.length > remaining) {
      // All lines must have the same number of cells (RFC 4180).
      yield csvLine(names.map((_, index) => (index === 0 ? truncationText : null)));
      return;
    }
    if (!next) return;
    remaining -= items.length;
    after = next;
  }
}
