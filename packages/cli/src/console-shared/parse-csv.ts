import Papa, { type Parser, type ParseResult } from 'papaparse';
import { FileError } from './file-error.js';

export const delimiters = [',', ';', '\t'] as const;
export type Delimiter = (typeof delimiters)[number];

/** A CSV row. */
export interface CsvRow {
  /** The first line of the row, counted from 1. */
  line: number;
  /** Null for a row with more or fewer cells than the header. */
  cells: string[] | null;
}

/** Rows that are parsed together. */
export interface CsvRows {
  columns: readonly string[];
  delimiter: Delimiter;
  rows: CsvRow[];
}

/**
 * Maximum row length in characters. Without a limit, an unclosed quote would turn the rest of the file into one row.
 */
const MAX_ROW_LENGTH = 1024 * 1024;

/**
 * Parses the rows of a CSV file with a header (RFC 4180), in constant memory. Rows without a value are omitted. The
 * first group can be empty, but already has the columns.
 * @param texts the file's decoded chunks, without a byte order mark
 * @param delimiter default: the most frequent one in the header
 * @throws FileError for a header with an empty or repeated name, and for a row with a misplaced or unclosed quote,
 * which can swallow the next rows
 */
export async function* parseCsv(
  texts: AsyncIterable<string>,
  delimiter?: Delimiter,
): AsyncGenerator<CsvRows> {
  let unparsed = '';
  let parser: RowParser | null = null;
  for await (const text of texts) {
    unparsed += text;
    const headerEnd: number | null = parser ? 0 : findHeaderEnd(unparsed);
    if (headerEnd !== null) {
      parser ??= new RowParser(unparsed.slice(0, headerEnd), delimiter);
      const { rows, parsed, error } = parser.parse(unparsed, true);
      unparsed = unparsed.slice(parsed);
      if (parser.columns) yield { columns: parser.columns, delimiter: parser.delimiter, rows };
      if (error) throw error;
    }
    if (unparsed.length > MAX_ROW_LENGTH)
      throw new FileError(
        `the row on line ${parser?.line ?? 1} is longer than 1 MiB: perhaps a quote is not closed`,
      );
  }
  parser ??= new RowParser(unparsed, delimiter);
  const { rows, error } = parser.parse(unparsed, false);
  if (parser.columns) yield { columns: parser.columns, delimiter: parser.delimiter, rows };
  if (error) throw error;
}

/** The result of parsing a chunk. */
interface ParsedPiece {
  /** The complete rows before the first error. */
  rows: CsvRow[];
  /** Length of these rows in characters. */
  parsed: number;
  error: FileError | null;
}

/** Parses the chunks of one file. */
class RowParser {
  readonly delimiter: Delimiter;
  columns: readonly string[] | null = null;
  /** The line of the next row. */
  line = 1;
  private readonly newline: '\n' | '\r';
  private readonly parser: Parser;

  constructor(header: string, delimiter: Delimiter | undefined) {
    this.delimiter = delimiter ?? findDelimiter(header);
    // Old Mac programs end lines with CR. Otherwise a CR is part of a line end, so that files may mix CRLF and LF.
    this.newline = /\r(?!\n)/.test(header) && !header.includes('\n') ? '\r' : '\n';
    this.parser = new Papa.Parser({ delimiter: this.delimiter, newline: this.newline });
  }

  /** @param isPiece true if the last row may continue in the next piece. @throws FileError for an invalid header */
  parse(text: string, isPiece: boolean): ParsedPiece {
    const { data, errors, meta } = this.parser.parse(text, 0, isPiece) as ParseResult<string[]>;
    const rows: CsvRow[] = [];
    const hasQuotes = text.includes('"');
    for (const [index, cells] of data.entries()) {
      if (index === errors[0]?.row) {
        const error = new FileError(`the row on line ${this.line} has a misplaced or unclosed quote`);
        return { rows, parsed: meta.cursor, error };
      }
      const row = this.toRow(cells, hasQuotes);
      if (row) rows.push(row);
    }
    return { rows, parsed: meta.cursor, error: null };
  }

  /** Returns null for the header and for rows without a value. */
  private toRow(cells: string[], canHaveLines: boolean): CsvRow | null {
    const { line } = this;
    this.line += 1;
    if (canHaveLines)
      for (const cell of cells)
        if (cell.includes(this.newline)) this.line += cell.split(this.newline).length - 1;
    const last = cells.at(-1)!;
    if (last.endsWith('\r')) cells[cells.length - 1] = last.slice(0, -1);
    if (cells.every((cell) => cell === '')) return null;
    if (this.columns) return { line, cells: cells.length === this.columns.length ? cells : null };
    this.columns = toColumns(cells);
    return null;
  }
}

/** Returns the column names. @throws FileError */
function toColumns(cells: readonly string[]): string[] {
  if (/^sep=.?$/i.test(cells[0]!.trim()))
    throw new FileError('the first line, sep=, is for Excel only: remove it');
  const columns = cells.map((cell) => cell.trim());
  const unnamed = columns.indexOf('');
  if (unnamed >= 0) throw new FileError(`column ${unnamed + 1} of the header has no name`);
  const repeated = columns.find((name, index) => columns.indexOf(name) !== index);
  if (repeated !== undefined) throw new FileError(`the header contains the column ${repeated} twice`);
  return columns;
}

/** Returns the position after the first line that is not blank, or null if the end of that line is missing. */
function findHeaderEnd(text: string): number | null {
  let isQuoted = false;
  let isBlank = true;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index]!;
    if (character === '"') isQuoted = !isQuoted;
    const isLineEnd = character === '\n' || (character === '\r' && index + 1 < text.length);
    if (isLineEnd && !isQuoted && !isBlank) return text.startsWith('\r\n', index) ? index + 2 : index + 1;
    if (character.trim() !== '') isBlank = false;
  }
  return null;
}

/** Returns the most frequent delimiter outside quotes; a comma if there is none. */
function findDelimiter(header: string): Delimiter {
  const bare = header.replace(/"[^"]*"/g, '');
  const count = (delimiter: string): number => bare.split(delimiter).length;
  return delimiters.reduce((best, each) => (count(each) > count(best) ? each : best));
}
