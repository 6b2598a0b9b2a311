import { usageError } from '../cli-error.js';
import type { JsonObject } from '../json-object.js';
import { isCsv, isInvalidRow, readColumns, readCsv, readObjects, type FileRecord } from './read-files.js';
import { toText } from './source-fields.js';

/** A table of another system. */
export interface TableShape<Name extends string> {
  name: Name;
  /** The columns by which the table is recognized. */
  columns: readonly string[];
}

/** A file that contains a table. */
export interface TableFile<Name extends string> {
  file: string;
  table: Name;
}

/**
 * The string that MySQL and PostgreSQL write for NULL. It is also unambiguous in free text, because both escape
 * backslashes in values.
 */
const NO_TEXT = '\\N';

/** The strings that phpMyAdmin and JSON serializers write for NULL. */
const NULLS = new Set(['NULL', 'null']);

/** Columns in which `NULL` or `null` can be an actual value. */
const FREE_TEXT = new Set([
  ...['name', 'firstname', 'lastname', 'displayname', 'givenname', 'familyname', 'metavalue', 'username'],
]);

/** Normalizes a column name for comparisons: `email_verified` and `emailVerified` are equal. */
const canonical = (name: string): string => name.replaceAll('_', '').toLowerCase();

/**
 * Recognizes the table in each file by its columns. A file is CSV with a header if its name ends with `.csv`;
 * otherwise, it contains JSON objects with the column names.
 * @param shapes the tables; if a file has the columns of several tables, the first one is used
 * @throws CliError for any other table
 */
export function findTables<Name extends string>(
  files: readonly string[],
  shapes: readonly TableShape<Name>[],
  system: string,
): Promise<TableFile<Name>[]> {
  return Promise.all(
    files.map(async (file) => {
      const columns = findColumns(file, await listColumns(file));
      const shape = shapes.find((each) => each.columns.every((column) => columns.has(canonical(column))));
      if (shape) return { file, table: shape.name };
      throw usageError(
        `${file} is none of the tables ${shapes.map(({ name }) => name).join(', ')}.`,
        `Export the tables as docs/moving-in/${system}.md describes.`,
      );
    }),
  );
}

/** Checks that a table was passed. @throws CliError if none of the files contains it */
export function requireTable<Name extends string>(tables: readonly TableFile<Name>[], name: Name): void {
  if (!tables.some(({ table }) => table === name))
    throw usageError(`None of the files is the table ${name}.`);
}

/** Returns the normalized column names. @throws CliError if a name occurs twice, or in two spellings */
function findColumns(file: string, names: readonly string[]): Set<string> {
  const columns = new Set<string>();
  for (const name of names) {
    if (columns.has(canonical(name)))
      throw usageError(
        `${file} contains the column ${name} twice, or in two spellings.`,
        'Export the table with each column once.',
      );
    columns.add(canonical(name));
  }
  return columns;
}

async function listColumns(file: string): Promise<string[]> {
  if (isCsv(file)) return readColumns(file);
  for await (const { value } of readObjects(file)) if (value) return Object.keys(value);
  return [];
}

/**
 * Reads a table's rows. Empty values are null, and a row is null if it is malformed or contains a column in two
 * spellings.
 * @param columns the known column names, which replace other spellings
 */
export async function* readTable(
  file: string,
  columns: Iterable<string>,
): AsyncGenerator<FileRecord<JsonObject | null>> {
  const names = new Map([...columns].map((name) => [canonical(name), name]));
  const records: AsyncIterable<FileRecord<JsonObject | null>> = isCsv(file)
    ? readCsv(file)
    : readObjects(file);
  for await (const { position, value } of records) {
    const isInvalid = !value || isInvalidRow(value as Record<string, string>);
    yield { position, value: isInvalid ? null : toRow(value, names) };
  }
}

function toRow(cells: JsonObject, names: ReadonlyMap<string, string>): JsonObject | null {
  const row: JsonObject = {};
  for (const [spelling, cell] of Object.entries(cells)) {
    const name = names.get(canonical(spelling)) ?? spelling;
    if (Object.hasOwn(row, name)) return null;
    row[name] = isEmptyCell(name, cell) ? null : cell;
  }
  return row;
}

const isEmptyCell = (name: string, cell: unknown): boolean =>
  cell === '' ||
  cell === NO_TEXT ||
  (typeof cell === 'string' && NULLS.has(cell) && !FREE_TEXT.has(canonical(name)));

/** Marks a time without an offset as UTC. Returns any other value unchanged. */
export function withOffset(cell: unknown): unknown {
  const text = toText(cell);
  return /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text) ? `${text}Z` : cell;
}

/**
 * Rejects files with users from several tenants, because two tenants can have users with the same email address.
 * @param column the column that contains the tenant
 * @param known the known column names
 * @throws CliError
 */
export async function assertOneTenant(
  files: readonly string[],
  column: string,
  known: Iterable<string>,
): Promise<void> {
  const tenants = new Set<string>();
  for (const file of files) {
    if (!(await listColumns(file)).some((name) => canonical(name) === canonical(column))) continue;
    for await (const { value } of readTable(file, known)) addTenant(tenants, value, column);
  }
}

/** Adds a row's tenant. @throws CliError for a second tenant */
export function addTenant(tenants: Set<string>, row: JsonObject | null, column: string): void {
  const tenant = toText(row?.[column]);
  if (tenant === '') return;
  tenants.add(tenant);
  if (tenants.size > 1)
    throw usageError(
      `The files contain rows with different values of ${column}. Their users can have the same addresses.`,
      'Export the rows with each value into separate files, and import them into separate projects.',
    );
}

/** Each user's rows in tables that are read before the users. */
export class RowsByUser<T> {
  /** True if the tables have no rows. */
  isEmpty = true;
  private readonly rows = new Map<string, T[]>();

  add(userId: string, row: T): void {
    this.isEmpty = false;
    const others = this.rows.get(userId);
    if (others) others.push(row);
    else this.rows.set(userId, [row]);
  }

  /** Returns a user's rows, and removes them. */
  take(userId: string): T[] {
    const rows = this.rows.get(userId) ?? [];
    this.rows.delete(userId);
    return rows;
  }

  /** The ids of the users whose rows were not taken. */
  get remainingIds(): string[] {
    return [...this.rows.keys()];
  }
}
