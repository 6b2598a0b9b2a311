// Raw SQL: reading the current role's privileges, and tables that have no repository.
import { MigrationExecutor, type DataSource, type QueryRunner } from 'typeorm';
import type { Database } from '../database/database.js';
import { currentMigrationNames } from '../migrations/current-migration-names.js';
import { migrations } from '../migrations/index.js';
import { migrationRun, runInTransaction } from '../migrations/migration-run.js';
import { statement, text } from '../sql/statements.js';
import { MigrationLease } from './migration-lease.js';
import { grantRuntimePrivileges } from './runtime-role.js';

const findRole = statement({ role: text }, 'SELECT current_user::text AS role');

/**
 * Applies pending migrations, one process at a time (ADR 0054). Each migration commits separately, so that none holds
 * its locks while another builds indexes. If the process is killed, the next one continues after the last applied
 * migration. Migrations without a transaction can be repeated (concurrent-indexes.ts).
 *
 * Then grants the DATABASE_URL role its privileges, and stores the audit log retention, which this role cannot
 * shorten (ADR 0037).
 * @param auditRetention audit log retention in ms
 * @returns the names of the applied migrations
 * @throws Error if migrations are pending and the role does not own the tables
 */
export async function migrate(database: Database, auditRetention: number): Promise<string[]> {
  const [runtime] = await database.execute(findRole);
  return database.runAsOwner(async (source) => {
    const runner = source.createQueryRunner();
    try {
      const { role, canMigrate } = await readRights(runner);
      if (!canMigrate) {
        await requireNoPendingMigrations(database, role);
        return [];
      }
      const executor = new MigrationExecutor(source, runner);
      const hasPending = (await executor.getPendingMigrations()).length > 0;
      const applied = hasPending ? await runMigrations(executor, source, runner) : [];
      await grantRuntimePrivileges(runner, runtime!.role);
      await storeAuditRetention(runner, auditRetention);
      return applied;
    } finally {
      await runner.release();
    }
  });
}

/** A database role. It can migrate if it owns the tables or can create them. */
export interface MigrationRights {
  role: string;
  canMigrate: boolean;
}

/**
 * Connects as the table owner (MIGRATE_DATABASE_URL), and returns this role's privileges.
 * @throws Error if the connection fails
 */
export const readMigrationRights = (database: Database): Promise<MigrationRights> =>
  database.runAsOwner(async (source) => {
    const runner = source.createQueryRunner();
    try {
      return await readRights(runner);
    } finally {
      await runner.release();
    }
  });

async function readRights(runner: QueryRunner): Promise<MigrationRights> {
  const [rights] = (await runner.query(
    `SELECT current_user::text AS role, coalesce(
       (SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = to_regclass('migrations')),
       has_schema_privilege(current_schema(), 'CREATE'), false) AS "canMigrate"`,
  )) as [MigrationRights];
  return rights;
}

async function requireNoPendingMigrations(database: Database, role: string): Promise<void> {
  const pending = await listPendingMigrations(database);
  if (pending.length === 0) return;
  throw new Error(
    `the database has pending migrations (${pending.length}), and the role ${role} does not own the tables; set MIGRATE_DATABASE_URL to the URL of their owner`,
  );
}

function runMigrations(
  executor: MigrationExecutor,
  source: DataSource,
  runner: QueryRunner,
): Promise<string[]> {
  const { logger } = migrationRun.getStore()!;
  return MigrationLease.hold(source, async (lease) => {
    await addCurrentNames(runner);
    // Another process may have applied migrations in the meantime.
    const pending = await executor.getPendingMigrations();
    for (const migration of pending) {
      logger.info({ migration: migration.name }, 'migration started');
      const instance = migration.instance!;
      const hasTransaction = instance.transaction !== false;
      if (!hasTransaction) await instance.up(runner);
      await runInTransaction(runner, async () => {
        if (hasTransaction) await executor.executeMigration(migration);
        else await executor.insertMigration(migration);
        await lease.confirm(runner);
      });
    }
    return pending.map(({ name }) => name);
  });
}

/** Stores the age in ms that an entry must have before `prune_audit_log` can delete it. */
async function storeAuditRetention(runner: QueryRunner, age: number): Promise<void> {
  await runner.query(
    `INSERT INTO audit_retention (age_ms) VALUES ($1)
     ON CONFLICT (singleton) DO UPDATE SET age_ms = excluded.age_ms WHERE audit_retention.age_ms <> excluded.age_ms`,
    [age],
  );
}

/**
 * Stores the current names of migrations that version 0.1.0 applied. Their original names stay, so that version 0.1.0
 * can still start alongside this version or after a rollback.
 */
async function addCurrentNames(runner: QueryRunner): Promise<void> {
  if (!(await runner.hasTable('migrations'))) return;
  await runner.query(
    `INSERT INTO migrations (timestamp, name)
     SELECT m.timestamp, renamed.name
     FROM migrations m JOIN unnest($1::text[], $2::text[]) AS renamed (previous, name) ON renamed.previous = m.name
     WHERE NOT EXISTS (SELECT FROM migrations stored WHERE stored.name = renamed.name)
     ORDER BY m.id`,
    [[...currentMigrationNames.keys()], [...currentMigrationNames.values()]],
  );
}

/** Returns pending migration names. Does not write to the database. */
export async function listPendingMigrations(database: Database): Promise<string[]> {
  const executed = await new MigrationExecutor(database.dataSource).getExecutedMigrations();
  const stored = new Set(executed.map(({ name }) => currentMigrationNames.get(name) ?? name));
  return migrations.map(({ name }) => name).filter((name) => !stored.has(name));
}
