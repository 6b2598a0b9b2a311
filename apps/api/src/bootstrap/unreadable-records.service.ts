import { Injectable } from '@nestjs/common';
import {
  encryptedColumns,
  EncryptedValuesRepository,
  pepperedColumns,
  type OutdatedValue,
  type SecretColumn,
} from '@gatehouse/persistence';
import { Keyring } from '@gatehouse/platform';

/** Tables with values that are replaced or deleted within a day. */
const transientTables = ['challenges', 'idempotency_keys', 'oauth_flows', 'operator_sessions'];

const lastingColumns = [...pepperedColumns, ...encryptedColumns].filter(
  ({ table }) => !transientTables.includes(table),
);

/** The columns with customers' password hashes. */
export const customerPasswords = lastingColumns.filter(
  ({ table, column }) => table === 'customers' && column === 'password_hash',
);

/** A stored value encrypted with an entry that is no longer in GATEHOUSE_SECRET. */
export interface UnreadableRecord extends OutdatedValue {
  column: SecretColumn;
  /** Position in the list of all values. */
  position: string;
}

/** Records ordered by column and key, with the next page's position. */
export interface UnreadablePage {
  records: UnreadableRecord[];
  /** Null after the last record. */
  next: string | null;
}

/** Describes a value by its table, column, primary key and owner. */
export function describeValue({ table, column, key, context }: SecretColumn, value: OutdatedValue): string {
  const ids = Object.keys(key).map((name, index) => `${name} ${value.key[index]}`);
  const owner = /^\w+_id$/.test(context) ? [`${context} ${value.context}`] : [];
  return `${table}.${column} of ${[...ids, ...owner].join(', ')}`;
}

/**
 * Finds all tenants' stored values that were encrypted with an entry that is no longer in GATEHOUSE_SECRET. Changes
 * nothing.
 */
@Injectable()
export class UnreadableRecordsService {
  constructor(
    private readonly values: EncryptedValuesRepository,
    private readonly keyring: Keyring,
  ) {}

  /** Counts the values in each column. Omits columns that have none. */
  async count(columns = lastingColumns): Promise<Map<SecretColumn, number>> {
    const counts = new Map<SecretColumn, number>();
    for (const column of columns) {
      const count = await this.values.countOutdated(column, this.keyring.listKids());
      if (count > 0) counts.set(column, count);
    }
    return counts;
  }

  /**
   * Returns a page of values.
   * @param position `next` from the previous page; null for the first page
   * @returns null if the position is not valid
   */
  async list(
    position: string | null,
    limit: number,
    columns = lastingColumns,
  ): Promise<UnreadablePage | null> {
    const [start, key = null] = position === null ? [0] : parsePosition(position, columns);
    if (start < 0) return null;
    const records: UnreadableRecord[] = [];
    for (const [index, column] of columns.slice(start).entries()) {
      const after = index === 0 && key !== null ? [key] : null;
      for await (const batch of this.values.readOutdated(column, this.keyring.listKids(), after)) {
        records.push(...batch.map((value) => toRecord(column, value)));
        if (records.length <= limit) continue;
        const page = records.slice(0, limit);
        return { records: page, next: page.at(-1)!.position };
      }
    }
    return { records, next: null };
  }
}

const nameOf = ({ purpose, table, column }: SecretColumn): string => `${purpose}/${table}.${column}`;

/** The primary key of each of these tables is a single column. */
const toRecord = (column: SecretColumn, value: OutdatedValue): UnreadableRecord => ({
  ...value,
  column,
  position: `${nameOf(column)}/${value.key[0]}`,
});

/** Returns the column index (-1 for an invalid position) and the key after which the page begins. */
function parsePosition(position: string, columns: SecretColumn[]): [number, string?] {
  const end = position.lastIndexOf('/');
  const key = position.slice(end + 1);
  const index = columns.findIndex((column) => nameOf(column) === position.slice(0, end));
  const isValid = Object.values(columns[index]?.key ?? {}).every((type) => type !== 'uuid' || isUuid(key));
  return isValid ? [index, key] : [-1];
}

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
