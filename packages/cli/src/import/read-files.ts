import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { JSONParser } from '@streamparser/json';
import Papa from 'papaparse';
import { CliError } from '../cli-error.js';
import { toObject, type JsonObject } from '../json-object.js';

/** A record of a file, with its position for reports. */
export interface FileRecord<T> {
  position: string;
  value: T;
}

/** The cells of a row by the names of the columns. An empty cell is an empty text. */
export type Row = Record<string, string>;

/** Maximum length of a row in characters. A quote that is not closed would otherwise read the rest of the file as one row. */
const MAX_ROW_LENGTH = 1024 * 1024;

/** Size of the buffer for a text of a JSON document, in bytes. Without it, texts with escaped characters are read piece by piece. */
export const STRING_BUFFER_SIZE = 64 * 1024;

/** Returns whether a row is empty because it has more or fewer cells than the header. */
export const isInvalidRow = (row: Row): boolean => Object.keys(row).length === 0;

/**
 * Reads the rows of a CSV file with a header, in constant memory. A row with more or fewer cells than the header is empty, so
 * that the source reports it as invalid. The position is the first line of the row.
 * @param names the names of the columns, for a file without a header
 * @throws CliError if the file cannot be read, or at a row with a misplaced or unclosed quote, which can contain the next rows
 */
export async function* readCsv(file: string, names: string[] | null = null): AsyncGenerator<FileRecord<Row>> {
  let columns = names;
  let line = 1;
  try {
    for await (const { rows, malformedRow, unparsed } of parseCsv(file)) {
      for (const [index, cells] of rows.entries()) {
        if (index === malformedRow)
          throw new Error(`the row on line ${line} has a misplaced or unclosed quote`);
        const position = `${basename(file)}:${line}`;
        line += countLines(cells);
        if (cells.length === 1 && cells[0] === '') continue;
        if (columns) yield { position, value: toRow(columns, cells) };
        else columns = cells;
      }
      if (unparsed > MAX_ROW_LENGTH)
        throw new Error(`the row on line ${line} is longer than 1 MiB: perhaps a quote is not closed`);
    }
  } catch (error) {
    throw unreadable(file, error);
  }
}

/** Returns the number of lines of a row. */
const countLines = (cells: string[]): number =>
  cells.reduce((count, cell) => count + (cell.includes('\n') ? cell.split('\n').length - 1 : 0), 1);

/** Returns a row with the names of its columns. It is empty if it has more or fewer cells than the header. */
function toRow(columns: string[], cells: string[]): Row {
  const row: Row = {};
  if (cells.length === columns.length)
    for (const [index, name] of columns.entries()) row[name] = cells[index]!;
  return row;
}

/** Rows that are parsed together. */
interface RowGroup {
  rows: string[][];
  /** Index of the first row with a misplaced or unclosed quote, or undefined. */
  malformedRow: number | undefined;
  /** Number of characters that have been read but not parsed. */
  unparsed: number;
}

/** Parses the rows of a CSV file, including the header. Pauses while the caller handles the rows. @throws CliError */
async function* parseCsv(file: string): AsyncGenerator<RowGroup> {
  const input = Readable.from(readText(file), { highWaterMark: 1 });
  const groups = new PassThrough({ objectMode: true, highWaterMark: 1 });
  let length = 0;
  input.on('data', (text: string) => (length += text.length));
  Papa.parse<string[]>(input, {
    delimiter: ',',
    chunk: ({ data, errors, meta }, parser) => {
      const group: RowGroup = { rows: data, malformedRow: errors[0]?.row, unparsed: length - meta.cursor };
      if (groups.write(group)) return;
      parser.pause();
      // The parser would otherwise keep what it reads in the meantime.
      input.pause();
      groups.once('drain', () => {
        input.resume();
        parser.resume();
      });
    },
    complete: () => groups.end(),
    error: (error) => groups.destroy(error),
  });
  try {
    yield* groups as AsyncIterable<RowGroup>;
  } finally {
    input.destroy();
  }
}

/** Reads a file with one JSON object per line, or one JSON array of objects, in constant memory. @throws CliError */
export async function* readObjects(file: string): AsyncGenerator<FileRecord<JsonObject | null>> {
  if (await startsWithArray(file)) {
    yield* readJson(file, '$.*');
    return;
  }
  let number = 0;
  for await (const line of readLines(file)) {
    number += 1;
    if (line.trim() === '') continue;
    yield { position: `${basename(file)}:${number}`, value: parseObject(line) };
  }
}

/**
 * Reads the objects of one JSON document of any size that are at a path, such as `$.users.*`. The position is the number
 * of the object, counted from 1. @throws CliError
 */
export async function* readJson(file: string, path: string): AsyncGenerator<FileRecord<JsonObject | null>> {
  const parser = new JSONParser({ paths: [path], keepStack: false, stringBufferSize: STRING_BUFFER_SIZE });
  let values: unknown[] = [];
  let number = 0;
  // The parser keeps an element until it has emitted it.
  parser.onValue = ({ value }) => void values.push(value);
  try {
    for await (const chunk of readChunks(file)) {
      writeJson(parser, chunk);
      for (const value of values) {
        number += 1;
        yield { position: `${basename(file)}#${number}`, value: toObject(value) };
      }
      values = [];
    }
    if (!parser.isEnded) throw new Error('it is incomplete JSON');
  } catch (error) {
    throw unreadable(file, error);
  }
}

export function writeJson(parser: JSONParser, chunk: Buffer): void {
  try {
    parser.write(chunk);
  } catch {
    // The error of the parser contains a text of the file, which may be a secret.
    throw new Error('it is not valid JSON');
  }
}

/** Returns whether a file is CSV, by its name. */
export const isCsv = (file: string): boolean => /\.csv(\.gz)?$/i.test(file);

/** Returns the names of the columns of a CSV file. @throws CliError */
export async function readColumns(file: string): Promise<string[]> {
  for await (const line of readLines(file))
    return line.split(',').map((name) => name.trim().replaceAll('"', ''));
  return [];
}

/** Reads the bytes of a file. Decompresses a file whose name ends with `.gz`. @throws CliError */
export async function* readChunks(file: string): AsyncGenerator<Buffer> {
  const bytes = createReadStream(file, { highWaterMark: 256 * 1024 });
  const stream = file.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes;
  // An error does not pass through a pipe.
  if (stream !== bytes) bytes.on('error', (error) => stream.destroy(error));
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch (error) {
    throw unreadable(file, error);
  } finally {
    bytes.destroy();
  }
}

async function* readLines(file: string): AsyncGenerator<string> {
  let rest = '';
  for await (const text of readText(file)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** Reads the text of a file in pieces, without a byte order mark. @throws CliError */
async function* readText(file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of readChunks(file)) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

/** Returns whether the first JSON document of a file is an array. @throws CliError */
export async function startsWithArray(file: string): Promise<boolean> {
  for await (const text of readText(file)) {
    const start = text.trimStart();
    if (start !== '') return start.startsWith('[');
  }
  return false;
}

function parseObject(line: string): JsonObject | null {
  try {
    return toObject(JSON.parse(line));
  } catch {
    return null;
  }
}

export function unreadable(file: string, error: unknown): CliError {
  if (error instanceof CliError) return error;
  return new CliError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
}
