import { hasRepeatedKey } from './repeated-keys.js';
import { FileError } from './file-error.js';

/** The reason why a cell is left out. */
export type CellProblem = 'unknown_column' | 'not_an_object' | 'not_a_list' | 'metadata_name_taken';

/** The customer in a row, and the cells that are left out. */
export interface ConvertedRow {
  customer: Record<string, unknown>;
  leftOut: { column: string; problem: CellProblem }[];
}

/** A column's target: null if the column is ignored, undefined if no field has its name. */
type Target = { field: string; key: string | null } | null | undefined;

type Kind = 'text' | 'secret' | 'boolean' | 'object' | 'list';

/** The customer fields, by column name. */
const fields: Record<string, Kind> = {
  ...{ email: 'text', firstName: 'text', lastName: 'text', externalId: 'text', locale: 'text' },
  ...{ emailVerified: 'boolean', mfa: 'text', password: 'secret', passwordHash: 'text', totpSecret: 'text' },
  ...{ passkeys: 'list', identities: 'list', metadata: 'object', publicMetadata: 'object' },
  ...{ createdAt: 'text', updatedAt: 'text', lastLoginAt: 'text', disabledAt: 'text' },
  ...{ imageUrl: 'text', projectId: 'text', id: 'text' },
};

export const customerFields: readonly string[] = Object.keys(fields);

/** The apostrophe with which exports prefix a cell that a spreadsheet would run as a formula. */
const FORMULA_GUARD = /^'(?=[=+\-@＝＋－＠\t\r\n])/;

/** Returns true if a name is a customer field, or a metadata key such as `metadata.plan`. */
export const isTarget = (name: string): boolean => toTarget(name) !== undefined;

/** Converts the rows of a file whose columns are customer fields. */
export class RowConverter {
  private readonly targets: readonly Target[];

  /**
   * @param mapping the field names, or metadata keys, by column name; empty to ignore a column
   * @throws FileError if two columns map to the same field, or none to the email address
   */
  constructor(
    private readonly columns: readonly string[],
    mapping: ReadonlyMap<string, string> = new Map(),
  ) {
    const names = columns.map((column) => mapping.get(column) ?? column);
    this.targets = names.map((name) => (name === '' ? null : toTarget(name)));
    const known = names.filter((_, index) => this.targets[index]);
    const repeated = known.find((name, index) => known.indexOf(name) !== index);
    if (repeated !== undefined) throw new FileError(`several columns are mapped to ${repeated}`);
    if (!known.includes('email')) throw new FileError('the column email is missing');
  }

  /** Returns the columns that map to no field. */
  get unknownColumns(): string[] {
    return this.columns.filter((_, index) => this.targets[index] === undefined);
  }

  /** Converts a row. Empty cells are omitted. */
  convert(cells: readonly string[]): ConvertedRow {
    const row: ConvertedRow = { customer: {}, leftOut: [] };
    const metadataCells: [column: string, field: string, key: string, cell: string][] = [];
    for (const [index, cell] of cells.entries()) {
      const [target, column] = [this.targets[index], this.columns[index]!];
      if (cell === '' || target === null) continue;
      if (target === undefined) row.leftOut.push({ column, problem: 'unknown_column' });
      else if (target.key !== null)
        metadataCells.push([column, target.field, target.key, cell.replace(FORMULA_GUARD, '')]);
      else this.setField(row, column, target.field, cell);
    }
    for (const [column, field, key, cell] of metadataCells) {
      const metadata = (row.customer[field] ?? {}) as Record<string, unknown>;
      if (Object.hasOwn(metadata, key)) row.leftOut.push({ column, problem: 'metadata_name_taken' });
      else row.customer[field] = { ...metadata, [key]: cell };
    }
    return row;
  }

  private setField({ customer, leftOut }: ConvertedRow, column: string, field: string, cell: string): void {
    const kind = fields[field]!;
    // Exports contain no passwords, so a leading apostrophe is part of the password.
    const text = kind === 'secret' ? cell : cell.replace(FORMULA_GUARD, '');
    if (kind === 'text' || kind === 'secret') customer[field] = text;
    else if (kind === 'boolean') customer[field] = toBoolean(text);
    else {
      const value = parseJson(text);
      // Omitting a JSON null loses no value.
      if (value === null) return;
      if (Array.isArray(value) === (kind === 'list') && typeof value === 'object') customer[field] = value;
      else leftOut.push({ column, problem: kind === 'list' ? 'not_a_list' : 'not_an_object' });
    }
  }
}

function toTarget(name: string): Exclude<Target, null> {
  if (Object.hasOwn(fields, name)) return { field: name, key: null };
  const [, field, key] = /^(metadata|publicMetadata)\.(.+)$/.exec(name) ?? [];
  return field && key ? { field, key } : undefined;
}

/** Returns a boolean, or the string unchanged so that the server reports an error. */
function toBoolean(text: string): unknown {
  if (/^(true|t|yes|1)$/i.test(text)) return true;
  return /^(false|f|no|0)$/i.test(text) ? false : text;
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    // The server would reject a repeated key in JSON.
    return hasRepeatedKey(text, value) ? undefined : value;
  } catch {
    return undefined;
  }
}
