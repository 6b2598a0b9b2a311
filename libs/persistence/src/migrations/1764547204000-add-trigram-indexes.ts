import type { MigrationInterface, QueryRunner } from 'typeorm';
import { errorMessage } from '@gatehouse/platform';
import { runInTransaction } from './migration-run.js';
import { createIndexes, dropIndex } from './concurrent-indexes.js';

/** SQL expressions in which operators search for substrings, by table. */
const searchedTexts = {
  customers: `lower(email || chr(10) || coalesce(first_name || ' ', '') || coalesce(last_name, ''))`,
  webhook_endpoints: `lower(coalesce(name || chr(10), '') || url)`,
  api_keys: 'lower(name)',
  projects: 'lower(name || chr(10) || slug)',
  organizations: 'lower(name || chr(10) || slug)',
};

/** Adds the extension pg_trgm, and trigram indexes for substring searches in the console (ADR 0066). */
export class AddTrigramIndexes1764547204000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const operators = await createExtension(runner);
    for (const [table, text] of Object.entries(searchedTexts))
      await createIndexes(runner, table, { [`${table}_search`]: `USING gin ((${text}) ${operators})` });
  }

  /** Keeps the extension, because other objects may use it. */
  async down(runner: QueryRunner): Promise<void> {
    for (const table of Object.keys(searchedTexts)) await dropIndex(runner, `${table}_search`);
  }
}

/**
 * Creates the extension unless the database already has it in any schema.
 * @returns SQL for the trigram index operator class
 */
async function createExtension(runner: QueryRunner): Promise<string> {
  const findOperators = async () =>
    (await runner.query(
      `SELECT quote_ident(n.nspname) || '.gin_trgm_ops' AS operators
       FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_trgm'`,
    )) as { operators: string }[];
  const [existing] = await findOperators();
  if (existing) return existing.operators;
  try {
    await runInTransaction(runner, () => runner.query('CREATE EXTENSION pg_trgm'));
  } catch (error) {
    throw new Error(
      `the extension pg_trgm cannot be created: ${errorMessage(error)}; run CREATE EXTENSION pg_trgm in this database as its owner or a superuser, then start again`,
      { cause: error },
    );
  }
  const [created] = await findOperators();
  return created!.operators;
}
