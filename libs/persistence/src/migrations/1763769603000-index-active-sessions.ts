import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Indexes active sessions, so that the session count at each login does not read revoked sessions. */
export class IndexActiveSessions1763769603000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE INDEX sessions_not_revoked ON sessions (customer_id, id) WHERE revoked_at IS NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX sessions_not_revoked');
  }
}
