import { Database } from '@gatehouse/persistence';
import { createLogger, loadConfig } from '@gatehouse/platform';
import type { TestInstance } from './test-instance.js';

/** Connects to an instance's database, for repository tests. Close the connection before the instance stops. */
export async function connectDatabase(instance: TestInstance): Promise<Database> {
  const database = new Database(loadConfig(instance.env), createLogger({ logLevel: 'silent' }, 'test'));
  await database.connect();
  return database;
}
