// Raw SQL: reading server settings and the current role's privileges.
import type { Database } from '../database/database.js';
import { arrayOf, boolean, integer, statement, text, type RowOf } from '../sql/statements.js';

const serverRow = {
  version: text,
  /** For example, 150004 for 15.4. */
  versionNumber: integer,
  /** True for a standby, and for a server or database that was set to read-only. */
  isReadOnly: boolean,
  role: text,
  isSuperuser: boolean,
  /** Disabled settings that would protect data in a server crash. */
  unsafeSettings: arrayOf(text),
};

/** PostgreSQL server properties, read as the DATABASE_URL role. */
export type DatabaseServer = RowOf<typeof serverRow>;

const readServer = statement(
  serverRow,
  `SELECT current_setting('server_version') AS version,
     current_setting('server_version_num')::int AS "versionNumber",
     current_setting('transaction_read_only') = 'on' AS "isReadOnly",
     current_user::text AS role, current_setting('is_superuser') = 'on' AS "isSuperuser",
     ARRAY(SELECT name FROM pg_settings
       WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off' ORDER BY name)
       AS "unsafeSettings"`,
);

/** Reads the PostgreSQL server properties that `doctor` checks. */
export class DatabaseServerRepository {
  constructor(private readonly database: Database) {}

  async read(): Promise<DatabaseServer> {
    const [row] = await this.database.execute(readServer);
    return row!;
  }
}
