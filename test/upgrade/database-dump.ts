import type pg from 'pg';

/** Rows in one INSERT statement. */
const ROWS_PER_INSERT = 500;

/** A dump's parts, in execution order. */
export interface DatabaseDump {
  /** Sequences, functions and tables, without constraints and indexes. */
  tables: string;
  /** INSERT statements with one row per line, and the sequence positions. */
  rows: string;
  /** Constraints, indexes and triggers, one statement per line. */
  indexes: string;
}

/** The settings that the dump's text depends on. The roles of a test database have hostile values for them. */
const SESSION_SETTINGS = `SET timezone = 'UTC'; SET datestyle = 'ISO'; SET intervalstyle = 'postgres';
  SET bytea_output = 'hex'; SET extra_float_digits = 1; SET quote_all_identifiers = off; SET client_encoding = 'UTF8';
  SET standard_conforming_strings = on; SET statement_timeout = 0`;

const SECTIONS = ['tables', 'rows', 'indexes'] as const;
const heading = (section: keyof DatabaseDump): string => `-- Section: ${section}\n`;

/** Returns the dump as one SQL script. */
export const formatDump = (dump: DatabaseDump): string =>
  SECTIONS.map((section) => heading(section) + dump[section]).join('\n');

/** Returns the parts in a script that `formatDump` has written. */
export function parseDump(script: string): DatabaseDump {
  const starts = SECTIONS.map((section) => script.indexOf(heading(section)));
  const [tables, rows, indexes] = SECTIONS.map((section, index) =>
    script.slice(starts[index]! + heading(section).length, starts[index + 1]),
  );
  return { tables: tables!, rows: rows!, indexes: indexes! };
}

/** Returns the definitions and rows for everything in the schema `public`. */
export async function dumpDatabase(client: pg.Client): Promise<DatabaseDump> {
  await client.query(SESSION_SETTINGS);
  const { tables, indexes } = await describeSchema(client);
  return { tables, rows: await dumpRows(client), indexes };
}

/** Returns every table's row count; a partitioned table includes its partitions. */
export async function countRows(client: pg.ClientBase | pg.Pool): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of await listTables(client)) {
    const { rows } = await client.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${name}`);
    counts[name] = rows[0]!.count;
  }
  return counts;
}

/** Returns the statements that create the schema, sorted by name within each kind. */
export async function describeSchema(
  client: pg.ClientBase | pg.Pool,
): Promise<Pick<DatabaseDump, 'tables' | 'indexes'>> {
  const selectLines = async (sql: string): Promise<string[]> =>
    (await client.query<{ line: string }>(sql)).rows.map(({ line }) => line);
  return {
    tables: [
      ...(await selectLines(EXTENSIONS)),
      ...(await selectLines(SEQUENCES)),
      ...(await selectLines(FUNCTIONS)),
      ...(await selectLines(TABLES)),
      ...(await selectLines(PARTITIONS)),
      ...(await selectLines(STATISTICS_TARGETS)),
    ]
      .map((line) => `${line};\n`)
      .join(''),
    indexes: [
      ...(await selectLines(SEQUENCE_OWNERS)),
      ...(await selectLines(CONSTRAINTS)),
      ...(await selectLines(INDEXES)),
      ...(await selectLines(TRIGGERS)),
    ]
      .map((line) => `${line};\n`)
      .join(''),
  };
}

async function listTables(client: pg.ClientBase | pg.Pool): Promise<string[]> {
  const sql = `SELECT relname AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY relname`;
  return (await client.query<{ name: string }>(sql)).rows.map(({ name }) => name);
}

const EXTENSIONS = `SELECT 'CREATE EXTENSION ' || extname AS line FROM pg_extension WHERE extname <> 'plpgsql'`;

const SEQUENCES = `SELECT 'CREATE SEQUENCE ' || relname || ' AS ' || format_type(seqtypid, NULL) AS line
  FROM pg_sequence JOIN pg_class c ON c.oid = seqrelid
  WHERE relnamespace = 'public'::regnamespace ORDER BY relname`;

const SEQUENCE_OWNERS = `SELECT format('ALTER SEQUENCE %I OWNED BY %I.%I', s.relname, t.relname, a.attname) AS line
  FROM pg_depend d JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S' JOIN pg_class t ON t.oid = d.refobjid
    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid
  WHERE d.deptype = 'a' AND s.relnamespace = 'public'::regnamespace ORDER BY s.relname`;

const FUNCTIONS = `SELECT rtrim(pg_get_functiondef(oid), E'\\n') AS line FROM pg_proc
  WHERE pronamespace = 'public'::regnamespace
    AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e') ORDER BY proname`;

const TABLES = `SELECT format(E'CREATE TABLE %I (\\n%s\\n)%s%s', relname,
    (SELECT string_agg(format('  %I %s%s%s%s', attname, format_type(atttypid, atttypmod),
         CASE WHEN attcollation <> typcollation THEN ' COLLATE ' || attcollation::regcollation ELSE '' END,
         coalesce(' DEFAULT ' || pg_get_expr(adbin, adrelid), ''),
         CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END), E',\\n' ORDER BY attnum)
     FROM pg_attribute JOIN pg_type t ON t.oid = atttypid
       LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
     WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped),
    coalesce(' PARTITION BY ' || pg_get_partkeydef(c.oid), ''),
    coalesce(' WITH (' || array_to_string(reloptions, ', ') || ')', '')) AS line
  FROM pg_class c
  WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY relname`;

const PARTITIONS = `SELECT format('CREATE TABLE %I PARTITION OF %s %s', relname, inhparent::regclass,
    pg_get_expr(relpartbound, c.oid)) AS line
  FROM pg_class c JOIN pg_inherits ON inhrelid = c.oid
  WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relispartition ORDER BY relname`;

const STATISTICS_TARGETS = `SELECT format('ALTER TABLE %I ALTER COLUMN %I SET STATISTICS %s', relname, attname,
    attstattarget) AS line
  FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
  WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
    AND attnum > 0 AND attstattarget > 0 ORDER BY relname, attnum`;

/** Primary and unique keys come first, because foreign keys refer to them. */
const CONSTRAINTS = `SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname,
    pg_get_constraintdef(oid)) AS line
  FROM pg_constraint
  WHERE connamespace = 'public'::regnamespace AND contype IN ('p', 'u', 'c', 'f') AND conparentid = 0
    AND conrelid NOT IN (SELECT inhrelid FROM pg_inherits)
  ORDER BY contype = 'f', conrelid::regclass::text, conname`;

const INDEXES = `SELECT replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') AS line
  FROM pg_index JOIN pg_class c ON c.oid = indexrelid
  WHERE relnamespace = 'public'::regnamespace AND indrelid NOT IN (SELECT inhrelid FROM pg_inherits)
    AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u'))
  ORDER BY relname`;

const TRIGGERS = `SELECT pg_get_triggerdef(t.oid) AS line FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid
  WHERE relnamespace = 'public'::regnamespace AND NOT tgisinternal AND tgparentid = 0 ORDER BY relname, tgname`;

async function dumpRows(client: pg.Client): Promise<string> {
  let script = '';
  for (const name of await listTables(client)) {
    const { fields, rows } = await client.query<(string | null)[]>({
      text: `SELECT * FROM ${name} ORDER BY 1`,
      rowMode: 'array',
      // Keep PostgreSQL's text format.
      types: { getTypeParser: () => (text: string) => text },
    });
    const columns = fields.map((field) => field.name).join(', ');
    for (let from = 0; from < rows.length; from += ROWS_PER_INSERT) {
      const lines = rows.slice(from, from + ROWS_PER_INSERT).map((row) => `(${row.map(literal).join(', ')})`);
      script += `INSERT INTO ${name} (${columns}) VALUES\n${lines.join(',\n')};\n`;
    }
  }
  return script + (await dumpSequences(client));
}

async function dumpSequences(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ name: string; last: string }>(
    `SELECT sequencename AS name, last_value AS last FROM pg_sequences
     WHERE schemaname = 'public' AND last_value IS NOT NULL ORDER BY 1`,
  );
  return rows.map(({ name, last }) => `SELECT setval('${name}', ${last});\n`).join('');
}

/** Returns an SQL literal without line breaks, so that each row is one line. */
function literal(text: string | null): string {
  if (text === null) return 'NULL';
  const quoted = text.replaceAll("'", "''");
  if (!/[\\\r\n]/.test(text)) return `'${quoted}'`;
  return `E'${quoted.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}'`;
}
