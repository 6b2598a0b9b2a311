import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Every login counts the customer's live sessions, and must not read all those that were ended before. */
export class FindLiveSessions1763769603000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE INDEX sessions_not_revoked ON sessions (customer_id, id) WHERE revoked_at IS NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX sessions_not_revoked');
  }
}
