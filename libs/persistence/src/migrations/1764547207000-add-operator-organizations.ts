import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the organizations that an operator is limited to; null for no limit. */
export class AddOperatorOrganizations1764547207000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE operators ADD COLUMN organization_ids uuid[] CHECK (cardinality(organization_ids) > 0)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE operators DROP COLUMN organization_ids');
  }
}
