import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Creates the audit log. It has no foreign keys, because an entry outlives its target. A trigger rejects every
 * change, including changes by Gatehouse itself. To delete entries, retention sets `gatehouse.audit_retention` in its
 * transaction; entries from the last 12 hours cannot be deleted. (The shortest retention is one day; the difference
 * allows for clock skew.)
 */
export class CreateAuditLog1763856030000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE audit_log (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL,
        project_id uuid,
        actor_type text NOT NULL CHECK (actor_type IN ('key', 'operator', 'customer', 'system')),
        actor_id text CHECK ((actor_id IS NULL) = (actor_type = 'system')),
        action text NOT NULL,
        target_type text NOT NULL,
        target_id text NOT NULL,
        ip text,
        user_agent text,
        request_id text,
        details jsonb NOT NULL DEFAULT '{}',
        created_at timestamptz(3) NOT NULL
      );
      CREATE INDEX audit_log_organization ON audit_log (organization_id, id);
      CREATE INDEX audit_log_project ON audit_log (project_id, id);
      CREATE INDEX audit_log_actor ON audit_log (actor_id, id) WHERE actor_id IS NOT NULL;
      CREATE INDEX audit_log_target ON audit_log (target_id, id);
      CREATE INDEX audit_log_request ON audit_log (request_id, id) WHERE request_id IS NOT NULL;

      CREATE FUNCTION keep_audit_log() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP = 'DELETE' AND current_setting('gatehouse.audit_retention', true) = 'on' THEN
          IF OLD.created_at < now() - interval '12 hours' THEN
            RETURN OLD;
          END IF;
        END IF;
        RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = 'insufficient_privilege';
      END
      $$;
      CREATE TRIGGER audit_log_kept BEFORE UPDATE OR DELETE ON audit_log
        FOR EACH ROW EXECUTE FUNCTION keep_audit_log();
      CREATE TRIGGER audit_log_not_truncated BEFORE TRUNCATE ON audit_log
        FOR EACH STATEMENT EXECUTE FUNCTION keep_audit_log();
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE audit_log; DROP FUNCTION keep_audit_log()');
  }
}
