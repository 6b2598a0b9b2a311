import { Database, migrate } from '@gatehouse/persistence';
import { createLogger, loadConfig } from '@gatehouse/platform';
import type { TestInstance } from './test-instance.js';

/**
 * Runs a database's pending migrations, like `npm run gatehouse -- migrate`.
 * @param urls `ownerUrl` is MIGRATE_DATABASE_URL. If it is null, the role in `url` runs the migrations
 * @returns the names of the migrations that were run
 */
export async function migrateDatabase(
  instance: TestInstance,
  { url, ownerUrl }: { url: string; ownerUrl: string | null },
): Promise<string[]> {
  const config = loadConfig({ ...instance.env, DATABASE_URL: url, MIGRATE_DATABASE_URL: ownerUrl ?? '' });
  const database = new Database(config, createLogger({ logLevel: 'silent' }, 'test'));
  try {
    await database.connect();
    return await migrate(database, config.audit.retention);
  } finally {
    await database.close();
  }
}
