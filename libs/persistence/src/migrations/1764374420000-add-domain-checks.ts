import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the progress of ending the sessions in a required domain, and indexes on domains with pending work. */
export class AddDomainChecks1764374420000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE identity_provider_domains ADD COLUMN sessions_checked_to uuid;
      CREATE INDEX identity_provider_domains_checked ON identity_provider_domains (checked_at)
        WHERE verified_at IS NOT NULL;
      CREATE INDEX identity_provider_domains_sessions ON identity_provider_domains (sessions_checked_to)
        WHERE sessions_checked_to IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX identity_provider_domains_checked, identity_provider_domains_sessions;
      ALTER TABLE identity_provider_domains DROP COLUMN sessions_checked_to;
    `);
  }
}
