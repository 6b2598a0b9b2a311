// Raw SQL: creating indexes concurrently and reading their progress.
import type { QueryRunner } from 'typeorm';
import { errorCode, errorMessage } from '@gatehouse/platform';
import { migrationRun, runInTransaction } from './migration-run.js';
import { double, integer, nullable, statement, text } from '../sql/statements.js';

/** Interval in ms between log messages about index build progress. */
const PROGRESS_INTERVAL_MS = 10_000;

/** PostgreSQL error code for a table that does not exist. */
const UNDEFINED_TABLE = '42P01';

/**
 * Condition that a row of pg_stat_progress_create_index is about the index $1. Indexes in other databases can have
 * the same OID.
 */
const IS_BUILD = 'datname = current_database() AND index_relid = to_regclass($1)';

const findProgress = statement(
  {
    phase: nullable(text),
    blocksDone: nullable(double),
    blocksTotal: nullable(double),
    rowsDone: nullable(double),
    rowsTotal: nullable(double),
    waitsForPid: nullable(integer),
  },
  `SELECT phase, blocks_done::float8 AS "blocksDone", blocks_total::float8 AS "blocksTotal",
     tuples_done::float8 AS "rowsDone", tuples_total::float8 AS "rowsTotal",
     nullif(current_locker_pid, 0)::int AS "waitsForPid"
   FROM pg_stat_progress_create_index WHERE ${IS_BUILD}`,
);

/**
 * Partitions of the table $1 that the index $2 does not cover yet, oldest first, because the oldest are dropped
 * first.
 */
const UNINDEXED_PARTITIONS = `
  SELECT c.relname AS partition FROM pg_inherits p JOIN pg_class c ON c.oid = p.inhrelid
  WHERE p.inhparent = to_regclass($1) AND NOT EXISTS (
    SELECT FROM pg_inherits child JOIN pg_index i ON i.indexrelid = child.inhrelid
    WHERE child.inhparent = to_regclass($2) AND i.indrelid = c.oid)
  ORDER BY c.relname`;

/**
 * Creates indexes without blocking writes to the table, for migrations with `transaction = false`. Can be repeated
 * after a failure: complete indexes are kept, and invalid ones from an interrupted run are rebuilt.
 *
 * An index on a partitioned table is first created on the table alone, then on each partition, and then attached. New
 * partitions inherit it from the table. Through a pooler, where the `CREATE INDEX CONCURRENTLY` time limit cannot be
 * changed, indexes are built in transactions, which block writes.
 * @param definitions each index's columns and condition, by name
 */
export async function createIndexes(
  runner: QueryRunner,
  table: string,
  definitions: Readonly<Record<string, string>>,
): Promise<void> {
  const [{ isPartitioned }] = (await runner.query(
    `SELECT relkind = 'p' AS "isPartitioned" FROM pg_class WHERE oid = to_regclass($1)`,
    [table],
  )) as [{ isPartitioned: boolean }];
  for (const [name, definition] of Object.entries(definitions)) {
    if (isPartitioned && !migrationRun.getStore()!.isPooled)
      await createPartitionedIndex(runner, table, name, definition);
    else await createIndex(runner, table, name, definition);
  }
}

/** Drops an index, if it exists, without blocking writes to its table. */
export async function dropIndex(runner: QueryRunner, name: string): Promise<void> {
  if (migrationRun.getStore()!.isPooled)
    await runInTransaction(runner, () => runner.query(`DROP INDEX IF EXISTS ${name}`));
  else await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
}

async function createIndex(
  runner: QueryRunner,
  table: string,
  name: string,
  definition: string,
): Promise<void> {
  const { logger, isPooled } = migrationRun.getStore()!;
  const isValid = await readValidity(runner, name);
  if (isValid) return;
  if (isValid === false) {
    logger.warn({ index: name }, 'invalid index dropped');
    await terminateBuild(runner, name);
    await dropIndex(runner, name);
  }
  logger.info({ index: name, table, isBlocking: isPooled }, 'index build started');
  const timer = setInterval(() => void logProgress(runner, name), PROGRESS_INTERVAL_MS).unref();
  try {
    if (isPooled)
      await runInTransaction(runner, () => runner.query(`CREATE INDEX ${name} ON ${table} ${definition}`));
    // The owner's connections have no time limit, and none is needed here: this statement holds no lock that blocks
    // requests.
    else await runner.query(`CREATE INDEX CONCURRENTLY ${name} ON ${table} ${definition}`);
  } finally {
    clearInterval(timer);
  }
  logger.info({ index: name }, 'index build finished');
}

async function createPartitionedIndex(
  runner: QueryRunner,
  table: string,
  name: string,
  definition: string,
): Promise<void> {
  for (;;) {
    if ((await readValidity(runner, name)) === undefined)
      await runInTransaction(runner, () =>
        runner.query(`CREATE INDEX ${name} ON ONLY ${table} ${definition}`),
      );
    const partitions = (await runner.query(UNINDEXED_PARTITIONS, [table, name])) as { partition: string }[];
    for (const { partition } of partitions)
      await attachPartitionIndex(runner, partition, name, definition).catch((error: unknown) => {
        // The worker may have dropped the partition in the meantime.
        if (errorCode(error) !== UNDEFINED_TABLE) throw error;
      });
    if (await readValidity(runner, name)) return;
    // Attaching the last missing partition makes the index valid, but dropping that partition does not.
    if (partitions.length === 0) await runInTransaction(runner, () => runner.query(`DROP INDEX ${name}`));
  }
}

async function attachPartitionIndex(
  runner: QueryRunner,
  partition: string,
  name: string,
  definition: string,
): Promise<void> {
  const index = `${partition}_${name}`;
  await createIndex(runner, partition, index, definition);
  await runInTransaction(runner, () => runner.query(`ALTER INDEX ${name} ATTACH PARTITION ${index}`));
}

/** Returns whether an index is valid; undefined if it does not exist. */
async function readValidity(runner: QueryRunner, name: string): Promise<boolean | undefined> {
  const [index] = (await runner.query(
    `SELECT indisvalid AS "isValid" FROM pg_index WHERE indexrelid = to_regclass($1)`,
    [name],
  )) as { isValid: boolean }[];
  return index?.isValid;
}

/**
 * Terminates the session of a process that was killed or suspended while it built an index, because the build may
 * still be running.
 */
async function terminateBuild(runner: QueryRunner, name: string): Promise<void> {
  await runner.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_progress_create_index WHERE ${IS_BUILD}`,
    [name],
  );
}

/** Logs an index build's progress, which it reads through another connection. */
async function logProgress({ dataSource }: QueryRunner, name: string): Promise<void> {
  const { logger } = migrationRun.getStore()!;
  try {
    const [progress] = await dataSource.query<object[]>(findProgress.text, [name]);
    if (progress) logger.info({ index: name, ...progress }, 'index build in progress');
  } catch (error) {
    logger.debug({ reason: errorMessage(error) }, 'index build progress not available');
  }
}
