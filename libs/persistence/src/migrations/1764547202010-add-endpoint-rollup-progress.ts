import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the counted range for the rollups by endpoint. It is separate from the existing range, because workers on
 * the previous version continue to count without endpoints. It starts empty where the existing range ends: newer
 * attempts are counted first, then older ones, backwards.
 */
export class AddEndpointRollupProgress1764547202010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE attempts_counted ADD COLUMN endpoint_first_id uuid, ADD COLUMN endpoint_next_id uuid;
      UPDATE attempts_counted SET endpoint_first_id = next_id, endpoint_next_id = next_id;
      ALTER TABLE attempts_counted ALTER COLUMN endpoint_first_id SET NOT NULL,
        ALTER COLUMN endpoint_next_id SET NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE attempts_counted DROP COLUMN endpoint_next_id, DROP COLUMN endpoint_first_id',
    );
  }
}
