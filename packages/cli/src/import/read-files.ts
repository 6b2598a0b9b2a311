import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { pipeline } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { createGunzip } from 'node:zlib';
import { JSONParser } from '@streamparser/json';
import { parse } from 'csv-parse';
import { CliError } from '../cli-error.js';
import { toObject, type JsonObject } from '../json-object.js';

/** A record of a file, with its position for reports. */
export interface FileRecord<T> {
  position: string;
  value: T;
}

/** The cells of a row by the names of the columns. An empty cell is an empty text. */
export type Row = Record<string, string>;

/** Maximum length of a row. A quote that is not closed would otherwise read the rest of the file as one row. */
const MAX_ROW_LENGTH = 1024 * 1024;

/** Size of the buffer for a text of a JSON document, in bytes. Without it, texts with escaped characters are read piece by piece. */
const STRING_BUFFER_SIZE = 64 * 1024;

/** Returns whether a row is empty because it is not CSV. */
export const isInvalidRow = (row: Row): boolean => Object.keys(row).length === 0;

/**
 * Reads the rows of a CSV file with a header, in constant memory. A row that is not CSV is empty, so that the source reports
 * it as invalid. @throws CliError if the file cannot be read
 */
export async function* readCsv(file: string): AsyncGenerator<FileRecord<Row>> {
  const invalid: FileRecord<Row>[] = [];
  const position = (line: number | undefined): string => `${basename(file)}:${line ?? '?'}`;
  const parser = parse({
    ...{ bom: true, columns: true, info: true, skip_empty_lines: true, max_record_size: MAX_ROW_LENGTH },
    skip_records_with_error: true,
    on_skip: (error) => void invalid.push({ position: position(error?.['lines'] as number), value: {} }),
  });
  // An error of the file ends the iteration.
  const rows = pipeline(readChunks(file), parser, () => undefined);
  try {
    for await (const { record, info } of rows as AsyncIterable<{ record: Row; info: { lines: number } }>) {
      yield* invalid.splice(0);
      yield { position: position(info.lines), value: record };
    }
    yield* invalid;
  } catch (error) {
    throw unreadable(file, error);
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

function writeJson(parser: JSONParser, chunk: Buffer): void {
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
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let isFirst = true;
  for await (const chunk of readChunks(file)) {
    const lines = (rest + decoder.write(chunk)).split('\n');
    if (isFirst) lines[0] = lines[0]!.replace(/^\ufeff/, '');
    isFirst = false;
    rest = lines.pop()!;
    yield* lines;
  }
  if (rest + decoder.end() !== '') yield rest;
}

async function startsWithArray(file: string): Promise<boolean> {
  for await (const chunk of readChunks(file)) {
    const start = chunk
      .toString('utf8')
      .replace(/^\ufeff/, '')
      .trimStart();
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

function unreadable(file: string, error: unknown): CliError {
  if (error instanceof CliError) return error;
  return new CliError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
}
