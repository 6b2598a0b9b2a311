import type { MigrationInterface, QueryRunner } from 'typeorm';

const NAME = 'deliveries_resolution_check';

/**
 * Allows the resolution `erased` for dead letters whose customer was deleted. The worker sets it, including on
 * existing dead letters.
 */
export class AllowErasedDeadLetters1764201607000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // NOT VALID, because checking every row would lock a table that can be very large. All existing rows meet the
    // previous, narrower condition.
    await runner.query(`
      ALTER TABLE deliveries DROP CONSTRAINT ${NAME},
        ADD CONSTRAINT ${NAME} CHECK (resolution IN ('redelivered', 'discarded', 'erased')) NOT VALID`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`UPDATE deliveries SET resolution = 'discarded' WHERE resolution = 'erased'`);
    await runner.query(`
      ALTER TABLE deliveries DROP CONSTRAINT ${NAME},
        ADD CONSTRAINT ${NAME} CHECK (resolution IN ('redelivered', 'discarded'))`);
  }
}
