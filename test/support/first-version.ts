import pg from 'pg';
import { eventually } from './eventually.js';
import { withoutTimeouts } from './hostile-settings.mjs';
import type { TestInstance } from './test-instance.js';

/** Runs `work` while the database has a connection from a version 0.1.0 process, which records no heartbeats. */
export async function withFirstVersion<Result>(
  instance: TestInstance,
  work: () => Promise<Result>,
): Promise<Result> {
  const connectionString = instance.env['DATABASE_URL']!;
  const settings = { application_name: 'gatehouse', options: withoutTimeouts };
  const client = new pg.Client({ connectionString, ...settings });
  await client.connect();
  try {
    return await work();
  } finally {
    await client.end();
    const connections = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'gatehouse'`;
    await eventually('the connection to end', async () => (await instance.sql(connections)).length === 0);
  }
}
