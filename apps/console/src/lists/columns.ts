import type { ReactNode } from 'react';

export interface Column<Row> {
  /** Identifies the column in saved choices. Default: the header in lower case. */
  id?: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** Makes this cell the row's link. Default: the first cell. It must not contain another link. */
  primary?: boolean;
  /** The record's status. At a width of 390 px, it is beside the primary cell. */
  status?: boolean;
  /** The `sortFilter` field that this column sorts by. */
  sort?: string;
  /** False if operators cannot hide the column. The primary column cannot be hidden. */
  hideable?: boolean;
  /** Hidden until the operator shows the column. */
  hidden?: boolean;
  align?: 'right';
  /** CSS width. */
  width?: string;
  /**
   * Truncates long content with "…" instead of wrapping it. The column takes two fifths of the table unless
   * `width` is set.
   */
  truncate?: boolean;
  /** Hidden at a width of 390 px. */
  wideOnly?: boolean;
}

/** The properties that determine whether a column is shown. */
type ColumnKey = Pick<Column<never>, 'id' | 'header' | 'primary' | 'hideable' | 'hidden'>;

/** Returns a column's id, in the format for saved choices: "last-sign-in". */
export const columnId = ({ id, header }: ColumnKey): string =>
  id ?? header.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

/** Returns the column that is the row's link. */
export const primaryColumn = <C extends ColumnKey>(columns: readonly C[]): C | undefined =>
  columns.find(({ primary }) => primary) ?? columns[0];

/** Returns the columns that the operator can show and hide. */
export const hideableColumns = <C extends ColumnKey>(columns: readonly C[]): C[] =>
  columns.filter((column) => column !== primaryColumn(columns) && column.hideable !== false);

/** Returns the entry for `changes` that reverses a column's default: "id" shows it, "-id" hides it. */
const reversedEntry = (column: ColumnKey): string =>
  column.hidden ? columnId(column) : `-${columnId(column)}`;

/** @param changes the columns that deviate from their default visibility */
export const isShown = (column: ColumnKey, changes: readonly string[]): boolean =>
  (column.hidden ?? false) === changes.includes(reversedEntry(column));

/** Returns the shown columns. Columns that cannot be hidden are always shown. */
export function visibleColumns<C extends ColumnKey>(columns: readonly C[], changes: readonly string[]): C[] {
  const hideable = hideableColumns(columns);
  return columns.filter((column) => !hideable.includes(column) || isShown(column, changes));
}

/** Returns the changes after a column is shown or hidden. Keeps entries for unknown columns. */
export function toggleColumn(column: ColumnKey, changes: readonly string[]): string[] {
  const change = reversedEntry(column);
  return changes.includes(change) ? changes.filter((each) => each !== change) : [...changes, change];
}

/** Returns the next order after a click on a header: descending, ascending, default. */
export const nextSort = (field: string, sort: string): string =>
  sort === `-${field}` ? field : sort === field ? '' : `-${field}`;
