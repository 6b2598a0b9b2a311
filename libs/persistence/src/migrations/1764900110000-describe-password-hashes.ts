import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Documents the password hash formats in the database. The migration also identifies API processes that cannot
 * verify portable hashes: their newest migration is older than this one (ADR 0102).
 */
export class DescribePasswordHashes1764900110000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `COMMENT ON COLUMN customers.password_hash IS
       'v1$<pepper id>$2b$…: bcrypt with a pepper. $2b$…: plain bcrypt. i1$…: an encrypted hash of another system'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('COMMENT ON COLUMN customers.password_hash IS NULL');
  }
}
