import { parseTime } from '../../parse-time.js';
import type { Row } from '../read-files.js';

/**
 * Returns true if a cell has no value: `null` in files from the SQL editor, which uses `JSON.stringify`, and `\N` in
 * PostgreSQL's text format. Neither can be a value, because user input is only inside JSON columns.
 */
const isNull = (cell: string): boolean =>
  (cell.length === 4 && cell.toLowerCase() === 'null') || cell === '\\N';

/** Replaces null cells in a row with empty strings. @returns the same row */
export function emptyNulls(row: Row): Row {
  for (const name in row) if (isNull(row[name]!)) row[name] = '';
  return row;
}

/** Returns true if a cell contains a time, false if it is empty, and null if it contains anything else. */
export function hasTime(cell = ''): boolean | null {
  if (cell === '') return false;
  return Number.isNaN(parseTime(cell)) ? null : true;
}

/** Returns the end of a ban in ms since 1970, 0 for an empty cell, or null for anything that is not a time. */
export function readBanEnd(cell = ''): number | null {
  if (cell === '' || cell === '-infinity') return 0;
  // PostgreSQL writes a permanent ban as `infinity`, and an end can be after the year 9999.
  if (/^(infinity$|\d{5,6}-\d\d-\d\d)/i.test(cell)) return Infinity;
  const end = parseTime(cell);
  return Number.isNaN(end) ? null : end;
}
