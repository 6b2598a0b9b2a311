import { basename } from 'node:path';
import { JSONParser } from '@streamparser/json';
import type { DecodedChunk } from '../console-shared/decode-text.js';
import { parseCsv, type CsvRows } from '../console-shared/parse-csv.js';
import { hasRepeatedKey } from '../console-shared/repeated-keys.js';
import { toObject, type JsonObject } from '../json-object.js';
import { findRepeatedField, KeyTracker } from './key-tracker.js';
import { readDecoded, readLineGroups, readText, unreadableFileError } from './read-text.js';
import { rejectRepeatedKey } from './repeated-keys.js';

/** A record in a file, with its position for reports. */
export interface FileRecord<T> {
  position: string;
  value: T;
}

/** A row's cells, by column name. An empty cell is an empty string. */
export type Row = Record<string, string>;

/**
 * Buffer size for a string in a JSON document, in bytes. Without a buffer, the parser concatenates strings with escaped
 * characters piece by piece.
 */
export const STRING_BUFFER_SIZE = 64 * 1024;

/** Returns true if a row has more or fewer cells than the header. `readCsv` yields an empty object for it. */
export const isInvalidRow = (row: Row): boolean => Object.keys(row).length === 0;

/**
 * Reads the rows of a CSV file with a header, in constant memory. A row with more or fewer cells than the header is an
 * empty object, so that the source reports it as invalid. The position is the row's first line.
 * @param names the column names, for a file without a header
 * @throws CliError if the file cannot be read, or has a misplaced or unclosed quote, which can swallow the next rows
 */
export async function* readCsv(
  file: string,
  names: readonly string[] | null = null,
): AsyncGenerator<FileRecord<Row>> {
  const header = names && `${names.join(',')}\n`;
  for await (const { columns, rows } of readTable(file, header))
    for (const { line, cells } of rows)
      yield {
        position: toPosition(file, header === null ? line : line - 1),
        value: cells ? toRow(columns, cells) : {},
      };
}

/**
 * Reads the rows of a CSV file in groups, as lists of cells.
 * @param header a header line to prepend, for a file without one
 * @throws CliError as `readCsv` does
 */
export async function* readTable(file: string, header: string | null = null): AsyncGenerator<CsvRows> {
  try {
    yield* header === null ? parseCsv(readText(file)) : parseCsv(readTextAfter(header, file), ',');
  } catch (error) {
    throw unreadableFileError(file, error);
  }
}

async function* readTextAfter(header: string, file: string): AsyncGenerator<string> {
  yield header;
  yield* readText(file);
}

/** Returns the position of a line for reports. */
export const toPosition = (file: string, line: number): string => `${basename(file)}:${line}`;

function toRow(columns: readonly string[], cells: readonly string[]): Row {
  const row: Row = {};
  for (const [index, name] of columns.entries()) row[name] = cells[index]!;
  return row;
}

/** Reads a file with one JSON object per line, or one JSON array of objects, in constant memory. @throws CliError */
export async function* readObjects(file: string): AsyncGenerator<FileRecord<JsonObject | null>> {
  if (await startsWithArray(file)) {
    yield* readJson(file, '$.*');
    return;
  }
  const name = basename(file);
  let number = 0;
  for await (const lines of readLineGroups(file))
    for (const line of lines) {
      number += 1;
      if (line.trim() !== '') yield parseObject(`${name}:${number}`, line);
    }
}

/**
 * Reads the objects at a path, such as `$.users.*`, in one JSON document of any size. The position contains the
 * object's number, counted from 1.
 * @throws CliError
 */
export async function* readJson(file: string, path: string): AsyncGenerator<FileRecord<JsonObject | null>> {
  const parser = new JSONParser({ paths: [path], keepStack: false, stringBufferSize: STRING_BUFFER_SIZE });
  const tracker = new KeyTracker(path.split('.').length - 1);
  const fileName = basename(file);
  let values: FileRecord<JsonObject | null>[] = [];
  let number = 0;
  parser.onToken = tracker.onToken;
  // The parser only keeps the current element in memory.
  parser.onValue = ({ value }) => {
    number += 1;
    const position = `${fileName}#${number}`;
    const repeated = tracker.findRepeated(value);
    values.push({
      position,
      value: repeated === null ? toObject(value) : rejectRepeatedKey(position, repeated),
    });
  };
  try {
    for await (const chunk of readDecoded(file)) {
      writeJson(parser, chunk);
      for (const value of values) yield value;
      values = [];
    }
    if (!parser.isEnded) throw new Error('it is incomplete JSON');
  } catch (error) {
    throw unreadableFileError(file, error);
  }
}

export function writeJson(parser: JSONParser, { bytes, text, encoding }: DecodedChunk): void {
  try {
    // The parser decodes UTF-8 bytes itself. They were decoded before only to check them.
    parser.write(encoding === 'utf-8' ? bytes : text);
  } catch {
    // The parser's error contains a string from the file, which may be a secret.
    throw new Error('it is not valid JSON');
  }
}

/** Returns true if a file's extension is csv or tsv, optionally followed by gz. */
export const isCsv = (file: string): boolean => /\.(csv|tsv)(\.gz)?$/i.test(file);

/** Returns a CSV file's column names. @throws CliError */
export async function readColumns(file: string): Promise<string[]> {
  for await (const { columns } of readTable(file)) return [...columns];
  return [];
}

/** Returns true if the first JSON document in a file is an array. @throws CliError */
export async function startsWithArray(file: string): Promise<boolean> {
  for await (const text of readText(file)) {
    const start = text.trimStart();
    if (start !== '') return start.startsWith('[');
  }
  return false;
}

function parseObject(position: string, line: string): FileRecord<JsonObject | null> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { position, value: null };
  }
  if (hasRepeatedKey(line, value))
    return { position, value: rejectRepeatedKey(position, findRepeatedField(line)) };
  return { position, value: toObject(value) };
}
