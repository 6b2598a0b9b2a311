import type { MigrationInterface, QueryRunner } from 'typeorm';

const [TYPE, ID] = ['audit_log_actor_type_check', 'audit_log_check'];

/** Allows the actor `support`. It has no id in sessions that were started by an earlier version. */
export class AllowSupportActor1764820104020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // NOT VALID, because checking every row would lock the table. All existing rows meet the previous, narrower
    // conditions.
    await runner.query(`
      ALTER TABLE audit_log DROP CONSTRAINT ${TYPE}, DROP CONSTRAINT ${ID},
        ADD CONSTRAINT ${TYPE} CHECK (actor_type IN ('key', 'operator', 'customer', 'support', 'system')) NOT VALID,
        ADD CONSTRAINT ${ID} CHECK (actor_type = 'support' OR (actor_id IS NULL) = (actor_type = 'system')) NOT VALID`);
  }

  async down(runner: QueryRunner): Promise<void> {
    // The log is append-only, so entries with this actor stay, and the constraints apply only to new entries.
    await runner.query(`
      ALTER TABLE audit_log DROP CONSTRAINT ${TYPE}, DROP CONSTRAINT ${ID},
        ADD CONSTRAINT ${TYPE} CHECK (actor_type IN ('key', 'operator', 'customer', 'system')) NOT VALID,
        ADD CONSTRAINT ${ID} CHECK ((actor_id IS NULL) = (actor_type = 'system')) NOT VALID`);
  }
}
