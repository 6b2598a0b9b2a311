import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the scope `mailbox:read` to keys with `customer:read`, which previously gave access to the mailbox. API
 * processes on the previous version ignore the scope.
 */
export class AddMailboxScope1764720001000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE api_keys SET scopes = array_append(scopes, 'mailbox:read')
      WHERE 'customer:read' = ANY (scopes) AND 'mailbox:read' <> ALL (scopes)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE api_keys SET scopes = array_remove(scopes, 'mailbox:read') WHERE 'mailbox:read' = ANY (scopes)`);
  }
}
