// Raw SQL: reading the identities of the database and its server.
import { errorCode, sha256 } from '@gatehouse/platform';
import type { Database } from '../database/database.js';
import { statement, text } from '../sql/statements.js';

/** PostgreSQL error codes for a function that the role may not call, and for one that the server does not have. */
const NOT_READABLE: readonly string[] = ['42501', '42883'];

const KEY_LENGTH = 16;

const readIdentity = statement(
  { id: text, database: text },
  `SELECT i.id::text AS id, d.oid::text AS database FROM installation i, pg_database d
   WHERE d.datname = current_database()`,
);

const readServer = statement(
  { server: text },
  `SELECT system_identifier::text AS server FROM pg_control_system()`,
);

/** Reads the values that distinguish this installation from all others. */
export class InstallationRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns this installation's key for servers that several installations can share. It is the same in all
   * processes. A database copy has a different key, on the same server or on a different one (ADR 0089).
   */
  async readKey(): Promise<string> {
    const [identity] = await this.database.execute(readIdentity);
    const parts = [identity!.id, identity!.database, await this.readServerId()];
    return sha256(parts.join()).toString('hex').slice(0, KEY_LENGTH);
  }

  /** Returns the id that `initdb` gave to the server; empty if the role may not read it. */
  private async readServerId(): Promise<string> {
    try {
      const [row] = await this.database.execute(readServer);
      return row!.server;
    } catch (error) {
      if (NOT_READABLE.includes(errorCode(error))) return '';
      throw error;
    }
  }
}
