import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the id of the transaction that wrote an event, which orders the event feed. The feed contains only events from
 * transactions that are older than every running one (ADR 0016).
 */
export class CreateEventFeed1763856040000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE events ADD COLUMN xact xid8 NOT NULL DEFAULT pg_current_xact_id();
      CREATE INDEX events_project_feed ON events (project_id, xact, id) WHERE project_id IS NOT NULL;
      CREATE INDEX events_organization_feed ON events (organization_id, xact, id);

      CREATE TABLE event_feed (
        singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
        epoch smallint NOT NULL
      );
      INSERT INTO event_feed (epoch) VALUES (1);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE event_feed;
      DROP INDEX events_project_feed, events_organization_feed;
      ALTER TABLE events DROP COLUMN xact;
    `);
  }
}
