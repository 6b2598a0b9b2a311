import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Drops the foreign key from a redelivery to its original, and indexes failed attempts. */
export class IndexFailedAttempts1763942440000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // A redelivery can outlive its original, and keeps the original's id.
    await runner.query('ALTER TABLE deliveries DROP CONSTRAINT deliveries_redelivery_of_fkey');
    for (const scope of ['organization', 'project', 'endpoint']) {
      await runner.query(
        `CREATE INDEX attempts_failed_${scope} ON attempts (${scope}_id, id) WHERE NOT success`,
      );
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX attempts_failed_organization, attempts_failed_project, attempts_failed_endpoint;
      UPDATE deliveries d SET redelivery_of = NULL
      WHERE redelivery_of IS NOT NULL AND NOT EXISTS (SELECT FROM deliveries o WHERE o.id = d.redelivery_of);
      ALTER TABLE deliveries ADD FOREIGN KEY (redelivery_of) REFERENCES deliveries (id);
    `);
  }
}
