import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the alert log, which contains each message and its outcome. */
export class CreateAlertLog1764547209020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE alert_log (
        id uuid PRIMARY KEY,
        -- The message, which is the same for all attempts to send it.
        message_id text NOT NULL UNIQUE,
        kind text NOT NULL,
        channel text NOT NULL,
        -- open: a problem; over: its resolution; test: a test alert.
        state text NOT NULL,
        count integer,
        -- sent or failed; a failed message is sent again.
        outcome text NOT NULL,
        -- Reason for the last attempt's failure, without the URL, which may be secret.
        reason text,
        attempts integer NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        attempted_at timestamptz(3) NOT NULL DEFAULT now(),
        resolved_at timestamptz(3)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE alert_log');
  }
}
