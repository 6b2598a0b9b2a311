import { Database } from '@gatehouse/persistence';
import { createLogger, loadConfig } from '@gatehouse/platform';
import type { TestInstance } from './test-instance.js';

/** Connects to the database of an instance, for tests of repositories. Close it before the instance stops. */
export async function connectDatabase(instance: TestInstance): Promise<Database> {
  const database = new Database(loadConfig(instance.env), createLogger({ logLevel: 'silent' }, 'test'));
  await database.connect();
  return database;
}
