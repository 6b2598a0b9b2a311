import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parseDump, type DatabaseDump } from './database-dump.js';
import type { Manifest } from './manifest.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The folder with the dumps, one SQL script and one manifest per version. */
export const FOLDER = join(process.cwd(), 'test', 'upgrade');

/** An earlier Gatehouse version's database. */
export interface Fixture {
  dump: DatabaseDump;
  manifest: Manifest;
}

/**
 * Columns whose UUIDv7 contains a relevant time: retention, partitions and time filters compare it with the
 * clock. Other ids are not shifted: refresh tokens contain them, and encrypted values are bound to them.
 */
const ID_TIMES: Record<string, string[]> = {
  events: ['id'],
  deliveries: ['id', 'attempt_id'],
  attempts: ['id'],
  audit_log: ['id'],
};

/**
 * The table whose rows are not shifted. Its ids keep their times, and a migration compares these times with other
 * columns.
 */
const UNSHIFTED_TABLE = 'customers';

/**
 * Returns a version's dump, shifted by whole days as if it had been written 1 to 25 hours ago: leases have expired,
 * and retries in two days are not due.
 * @throws Error if there is no dump for this version
 */
export function readFixture(version: string, now = Date.now()): Fixture {
  const script = gunzipSync(readFileSync(join(FOLDER, `${version}.sql.gz`))).toString();
  const manifest = readFileSync(join(FOLDER, `${version}.json`), 'utf8');
  const { dumpedAt } = JSON.parse(manifest) as Manifest;
  const dump = parseDump(script);
  const days = Math.floor((now - Date.parse(dumpedAt) - HOUR_MS) / DAY_MS);
  const shift = createShift(days, findIdsToShift(dump.rows));
  return {
    dump: {
      // Times in defaults are not shifted.
      tables: dump.tables.replace(/^CREATE TABLE \w+ PARTITION OF .+$/gm, shift),
      rows: dump.rows.replace(/^INSERT INTO (\w+) .+\n(?:\(.*\n)+/gm, (statement, table: string) =>
        table === UNSHIFTED_TABLE ? statement : shift(statement),
      ),
      indexes: dump.indexes,
    },
    manifest: JSON.parse(shift(manifest)) as Manifest,
  };
}

/** Returns the ids in the columns in `ID_TIMES`. */
function findIdsToShift(rows: string): Set<string> {
  const ids = new Set<string>();
  for (const [table, names] of Object.entries(ID_TIMES)) {
    const inserts = new RegExp(`^INSERT INTO ${table} \\((.+)\\) VALUES\\n((?:\\(.*\\n)+)`, 'gm');
    for (const [, columns, lines] of rows.matchAll(inserts)) {
      const positions = names.map((name) => columns!.split(', ').indexOf(name));
      for (const row of lines!.trimEnd().split('\n')) {
        const values = row.match(/E?'(?:[^'\\]|''|\\.)*'|NULL/g)!;
        for (const position of positions)
          if (values[position] !== 'NULL') ids.add(values[position]!.slice(1, -1));
      }
    }
  }
  return ids;
}

/** Returns a function that shifts dates, the times in `ids`, and the partitions in a text by whole days. */
function createShift(days: number, ids: Set<string>): (text: string) => string {
  if (days === 0) return (text) => text;
  const shiftDate = (date: string): string =>
    new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
  const shiftId = (id: string): string => {
    const time = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) + days * DAY_MS;
    const hex = time.toString(16).padStart(12, '0');
    return `${hex.slice(0, 8)}-${hex.slice(8)}${id.slice(13)}`;
  };
  return (text) =>
    text
      .replace(/\b(\d{4}-\d\d-\d\d)(?=[ T]\d\d:\d\d:\d\d(\.\d+)?(\+00|Z))/g, shiftDate)
      .replace(/(?<![0-9a-f-])[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) =>
        ids.has(id) ? shiftId(id) : id,
      )
      // Partition bounds, and the position up to which the log has been rolled up.
      .replace(/(?<![0-9a-f-])(?!00000000-)[0-9a-f]{8}-[0-9a-f]{4}-0000-0000-0{12}/g, shiftId)
      .replace(/(?<=\battempts_(?:kept_)?)(\d{4})(\d\d)(\d\d)\b/g, (_, year, month, day) =>
        shiftDate(`${year}-${month}-${day}`).replaceAll('-', ''),
      );
}
