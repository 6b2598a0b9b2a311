/** The prefix with which exports neutralize cells that a spreadsheet would interpret as formulas. */
const FORMULA_GUARD = /^'(?=[=+\-@＝＋－＠\t\r\n])/;

/**
 * Parses a CSV file (RFC 4180) with the separator comma, semicolon or tab, whichever is the most frequent one in the
 * first line. Rows of empty cells are omitted. The apostrophe with which exports prefix formulas is removed.
 * @throws Error if a quoted cell is not closed
 */
export function parseCsv(text: string): string[][] {
  const source = text.replace(/^\ufeff/, '');
  const separator = findSeparator(source);
  const rows: string[][] = [];
  let row: string[] = [];
  let position = 0;
  while (position < source.length) {
    const [cell, end] =
      source[position] === '"' ? quotedCell(source, position) : plainCell(source, position, separator);
    row.push(cell.replace(FORMULA_GUARD, ''));
    if (source[end] === separator) {
      position = end + 1;
      // A separator at the end of the file is followed by an empty cell.
      if (position === source.length) row.push('');
      continue;
    }
    position = source.startsWith('\r\n', end) ? end + 2 : end + 1;
    rows.push(row);
    row = [];
  }
  if (row.length > 0) rows.push(row);
  return rows.filter((cells) => cells.some((cell) => cell !== ''));
}

function findSeparator(text: string): string {
  const [firstLine = ''] = text.split(/[\r\n]/, 1);
  const count = (separator: string): number => firstLine.split(separator).length;
  return [',', ';', '\t'].reduce((best, separator) => (count(separator) > count(best) ? separator : best));
}

/** Returns a cell and the position of the separator or the end of the line after it. */
function plainCell(text: string, start: number, separator: string): [string, number] {
  let end = start;
  while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') end += 1;
  return [text.slice(start, end), end];
}

function quotedCell(text: string, start: number): [string, number] {
  let end = start;
  do {
    end = text.indexOf('"', end + 1);
    if (end < 0) throw new Error('A quoted cell is not closed.');
    if (text[end + 1] === '"') end += 1;
    else break;
  } while (end < text.length);
  return [text.slice(start + 1, end).replaceAll('""', '"'), end + 1];
}
