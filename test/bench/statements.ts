import type { Redis } from 'ioredis';
import pg from 'pg';
import { DELIVERY_CHANNEL } from '@gatehouse/persistence';
import { RUNTIME_ROLE } from '../support/databases.mjs';
import type { TestInstance } from '../support/test-instance.js';

/** Settings that PostgreSQL needs to count statements. */
export const statementSettings = { shared_preload_libraries: 'pg_stat_statements' };

/** The workers' role in a tracked instance. It distinguishes their statements from the api's. */
const WORKER_ROLE = 'bench_worker';
const WORKER_PASSWORD = 'bench';

export type Program = 'api' | 'worker';

/** A statement's calls, and their cost. */
export interface StatementUse {
  program: Program;
  text: string;
  calls: number;
  /** Number of times that PostgreSQL planned the statement. */
  plans: number;
  planningMs: number;
  executingMs: number;
}

/** The requests that Redis received. Commands in scripts count as well. */
export interface RedisUse {
  /** Number of reads from sockets. Each can contain several commands. */
  reads: number;
  /** Number of writes to sockets. */
  writes: number;
  commands: { name: string; calls: number; microseconds: number }[];
}

type Sql = TestInstance['sql'];

/**
 * Turns statement counting on or off. Affects only connections that are opened later, because prepared statements on
 * open connections are not counted.
 */
export async function setTracking(isOn: boolean): Promise<void> {
  const client = new pg.Client({ connectionString: process.env['TEST_POSTGRES_URL']! });
  await client.connect();
  await client.query(`ALTER SYSTEM SET compute_query_id = ${isOn ? 'on' : 'off'}`);
  await client.query(`ALTER SYSTEM SET pg_stat_statements.track = ${isOn ? 'top' : 'none'}`);
  await client.query('ALTER SYSTEM SET pg_stat_statements.track_planning = on');
  await client.query('SELECT pg_reload_conf()');
  await client.end();
}

/**
 * Creates the view with the counters, and a role for the workers with the runtime role's privileges and settings.
 * @returns the database URL for the workers
 */
export async function prepareTracking(sql: Sql, databaseUrl: string): Promise<string> {
  await sql('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  const roles = await sql(`SELECT FROM pg_roles WHERE rolname = '${WORKER_ROLE}'`);
  if (roles.length === 0)
    await sql(`CREATE ROLE ${WORKER_ROLE} LOGIN PASSWORD '${WORKER_PASSWORD}' IN ROLE ${RUNTIME_ROLE}`);
  const settings = await sql<{ sql: string }>(
    `SELECT format('ALTER ROLE ${WORKER_ROLE} SET %I = %L', split_part(setting, '=', 1),
       substr(setting, strpos(setting, '=') + 1)) AS sql
     FROM pg_db_role_setting CROSS JOIN unnest(setconfig) AS setting
       LEFT JOIN pg_database d ON d.oid = setdatabase
     WHERE setrole = '${RUNTIME_ROLE}'::regrole AND (setdatabase = 0 OR d.datname = current_database())`,
  );
  for (const setting of settings) await sql(setting.sql);
  return Object.assign(new URL(databaseUrl), { username: WORKER_ROLE, password: WORKER_PASSWORD }).href;
}

/** Resets the statement counters. */
export async function resetStatements(sql: Sql): Promise<void> {
  await sql('SELECT pg_stat_statements_reset()');
}

/** Returns the api's and the workers' statements since the last reset, the most expensive first. */
export function readStatements(sql: Sql): Promise<StatementUse[]> {
  return sql<StatementUse>(
    `SELECT CASE userid WHEN '${WORKER_ROLE}'::regrole THEN 'worker' ELSE 'api' END AS program,
       query AS text, calls::float8, plans::float8, total_plan_time AS "planningMs", total_exec_time AS "executingMs"
     FROM pg_stat_statements
     WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND userid IN ('${RUNTIME_ROLE}'::regrole, '${WORKER_ROLE}'::regrole)
     ORDER BY total_plan_time + total_exec_time DESC`,
  );
}

/**
 * Counts the messages that workers receive through NOTIFY, by the program that sent them. pg_stat_statements counts
 * only the first execution of a prepared NOTIFY.
 * @returns a function that stops counting
 */
export async function countNotifications(
  sql: Sql,
  superuserUrl: string,
): Promise<() => Promise<Record<Program, number>>> {
  const senders: number[] = [];
  const client = new pg.Client({ connectionString: superuserUrl });
  client.on('notification', ({ processId }) => senders.push(processId));
  await client.connect();
  await client.query(`LISTEN ${DELIVERY_CHANNEL}`);
  return async () => {
    // Messages arrive before the response to a later statement.
    await client.query('SELECT');
    await client.end();
    const backends = await readBackends(sql);
    const count = (pids: number[]): number => senders.filter((sender) => pids.includes(sender)).length;
    return { api: count(backends.api), worker: count(backends.worker) };
  };
}

/** Returns the PostgreSQL processes that serve each program. */
export async function readBackends(sql: Sql): Promise<Record<Program, number[]>> {
  const rows = await sql<{ pid: number; role: string }>(
    `SELECT pid, usename AS role FROM pg_stat_activity
     WHERE datname = current_database() AND usename IN ('${RUNTIME_ROLE}', '${WORKER_ROLE}')`,
  );
  const pids = (name: string): number[] => rows.filter(({ role }) => role === name).map(({ pid }) => pid);
  return { api: pids(RUNTIME_ROLE), worker: pids(WORKER_ROLE) };
}

/** Returns what Redis has received since `CONFIG RESETSTAT`. */
export async function readRedisUse(redis: Redis): Promise<RedisUse> {
  const info = await redis.info('everything');
  const value = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1]);
  const commands = [...info.matchAll(/^cmdstat_([^:]+):calls=(\d+),usec=(\d+)/gm)].map(
    ([, name, calls, usec]) => ({ name: name!, calls: Number(calls), microseconds: Number(usec) }),
  );
  return {
    reads: value('total_reads_processed'),
    writes: value('total_writes_processed'),
    commands: commands.sort((a, b) => b.microseconds - a.microseconds),
  };
}
