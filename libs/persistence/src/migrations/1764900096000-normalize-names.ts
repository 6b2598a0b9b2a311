import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationRun, runInTransaction } from './migration-run.js';
import { NIL_UUID } from '../sql/uuid-v7.js';

/** Name columns by table. Every table has an `id`. */
const namesByTable = {
  organizations: ['name'],
  projects: ['name'],
  api_keys: ['name'],
  webhook_endpoints: ['name'],
  identity_providers: ['name'],
  operators: ['name'],
  operator_passkeys: ['name'],
  saved_views: ['name'],
  passkeys: ['name'],
  customers: ['first_name', 'last_name'],
};

/** Number of rows that one statement reads; it locks those whose names change. */
const BATCH_ROWS = 1_000;

/** Returns the condition that a name in a row is not in NFC. @param row row alias */
const isDenormalized = (row: string, columns: string[]): string =>
  columns.map((column) => `${row}.${column} IS NOT NFC NORMALIZED`).join(' OR ');

/**
 * Converts stored names to NFC, the form in which names are searched (ADR 0096). Triggers convert names that the
 * previous version's API processes store afterwards. Can be repeated after a failure.
 */
export class NormalizeNames1764900096000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // PostgreSQL can normalize only UTF-8, and other encodings have no combining characters.
    const [{ encoding }] = (await runner.query(`SELECT current_setting('server_encoding') AS encoding`)) as [
      { encoding: string },
    ];
    if (encoding !== 'UTF8') return;
    await createFunction(runner);
    for (const [table, columns] of Object.entries(namesByTable)) {
      await createTrigger(runner, table, columns);
      await normalizeStored(runner, table, columns);
    }
  }

  /** Drops only the triggers; names stay in NFC. */
  async down(runner: QueryRunner): Promise<void> {
    await runInTransaction(runner, () => runner.query('DROP FUNCTION IF EXISTS normalize_names CASCADE'));
  }
}

/** Creates the trigger function, which converts the columns passed as its arguments. */
const createFunction = (runner: QueryRunner): Promise<void> =>
  runInTransaction(runner, () =>
    runner.query(`
      CREATE OR REPLACE FUNCTION normalize_names() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RETURN jsonb_populate_record(NEW, (
          SELECT jsonb_object_agg(name, normalize(to_jsonb(NEW) ->> name, NFC)) FROM unnest(TG_ARGV) name));
      END $$`),
  );

const createTrigger = (runner: QueryRunner, table: string, columns: string[]): Promise<void> =>
  runInTransaction(runner, () =>
    runner.query(`
      CREATE OR REPLACE TRIGGER normalize_names BEFORE INSERT OR UPDATE OF ${columns.join()} ON ${table}
      FOR EACH ROW WHEN (${isDenormalized('NEW', columns)})
      EXECUTE FUNCTION normalize_names(${columns.map((column) => `'${column}'`).join()})`),
  );

/** Converts stored names in batches, so that requests wait for at most one batch. */
async function normalizeStored(runner: QueryRunner, table: string, columns: string[]): Promise<void> {
  const { logger } = migrationRun.getStore()!;
  const assignments = columns.map((column) => `${column} = normalize(t.${column}, NFC)`);
  let [last, changed]: [string | null, number] = [NIL_UUID, 0];
  do {
    await runInTransaction(runner, async () => {
      const [batch] = (await runner.query(
        `WITH batch AS (
           SELECT id, ${columns.join()} FROM ${table} WHERE id > $1 ORDER BY id LIMIT ${BATCH_ROWS}
         ), changed AS (
           UPDATE ${table} t SET ${assignments.join()} FROM batch
           WHERE t.id = batch.id AND (${isDenormalized('batch', columns)}) RETURNING t.id
         )
         SELECT (SELECT id FROM batch ORDER BY id DESC LIMIT 1) AS last, (SELECT count(*)::int FROM changed) AS count`,
        [last],
      )) as [{ last: string | null; count: number }];
      last = batch.last;
      changed += batch.count;
    });
  } while (last !== null);
  if (changed > 0) logger.info({ table, changed }, 'stored names normalized to NFC');
}
