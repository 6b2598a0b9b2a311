import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the trace context in which an email was created, so that sending it continues the trace. */
export class AddMailTraceparent1764460859100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE mails ADD COLUMN traceparent text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE mails DROP COLUMN traceparent');
  }
}
