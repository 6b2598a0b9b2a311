import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the trace context in which an event was recorded, so that its deliveries continue the trace. */
export class AddEventTraceparent1764460859000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE events ADD COLUMN traceparent text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE events DROP COLUMN traceparent');
  }
}
