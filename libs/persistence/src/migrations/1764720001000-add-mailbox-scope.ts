import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the scope `mailbox:read` to the keys with `customer:read`, which gave access to the mailbox until now. An older
 * api ignores the scope.
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
