import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds customer image URLs. */
export class AddCustomerImage1764374403000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE customers ADD COLUMN image_url text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE customers DROP COLUMN image_url');
  }
}
