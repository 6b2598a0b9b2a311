import type { MigrationInterface, QueryRunner } from 'typeorm';

const [TYPE, ID] = ['audit_log_actor_type_check', 'audit_log_check'];

/** Allows the actor `support`, without an id in a session that an earlier version has opened. */
export class AllowSupportActor1764820104020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // NOT VALID: the check of all rows would lock the table. Every row met the previous, narrower conditions.
    await runner.query(`
      ALTER TABLE audit_log DROP CONSTRAINT ${TYPE}, DROP CONSTRAINT ${ID},
        ADD CONSTRAINT ${TYPE} CHECK (actor_type IN ('key', 'operator', 'customer', 'support', 'system')) NOT VALID,
        ADD CONSTRAINT ${ID} CHECK (actor_type = 'support' OR (actor_id IS NULL) = (actor_type = 'system')) NOT VALID`);
  }

  async down(runner: QueryRunner): Promise<void> {
    // The log is append-only: entries with the actor stay, and only new ones are checked.
    await runner.query(`
      ALTER TABLE audit_log DROP CONSTRAINT ${TYPE}, DROP CONSTRAINT ${ID},
        ADD CONSTRAINT ${TYPE} CHECK (actor_type IN ('key', 'operator', 'customer', 'system')) NOT VALID,
        ADD CONSTRAINT ${ID} CHECK ((actor_id IS NULL) = (actor_type = 'system')) NOT VALID`);
  }
}
