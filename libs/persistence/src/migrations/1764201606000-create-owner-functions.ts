import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Returns PL/pgSQL that rejects every name except the names of `attempts` partitions: the daily partitions, and
 * those with retained attempts.
 */
const checkName = (parameter: string): string => `
        IF (${parameter} ~ '^attempts_(kept_)?[0-9]{8}$') IS NOT TRUE THEN
          RAISE EXCEPTION 'not a partition of attempts: %', ${parameter} USING ERRCODE = 'invalid_parameter_value';
        END IF;`;

/**
 * Creates functions with which the runtime role can perform operations that are reserved for the table owner:
 * creating and dropping attempt partitions, and deleting audit log entries that are older than the owner's setting in
 * `audit_retention` (ADR 0037). They run with the owner's privileges, so their search path is fixed, and every name
 * outside `pg_catalog` is qualified.
 */
export class CreateOwnerFunctions1764201606000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const [{ schema }] = (await runner.query('SELECT quote_ident(current_schema()) AS schema')) as [
      { schema: string },
    ];
    const asOwner = 'LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp';
    await runner.query(`
      CREATE TABLE audit_retention (
        singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
        age_ms bigint NOT NULL
      );

      CREATE FUNCTION create_attempts_table(table_name text) RETURNS void ${asOwner} AS $$
      BEGIN${checkName('table_name')}
        EXECUTE format('CREATE TABLE ${schema}.%I (LIKE ${schema}.attempts INCLUDING ALL)', table_name);
      END
      $$;

      CREATE FUNCTION attach_attempts_table(table_name text, first_id uuid, past_id uuid) RETURNS void ${asOwner} AS $$
      BEGIN${checkName('table_name')}
        EXECUTE format('ALTER TABLE ${schema}.attempts ATTACH PARTITION ${schema}.%I FOR VALUES FROM (%L) TO (%L)',
          table_name, first_id, past_id);
      END
      $$;

      CREATE FUNCTION rename_attempts_table(table_name text, new_name text) RETURNS void ${asOwner} AS $$
      BEGIN${checkName('table_name')}${checkName('new_name')}
        EXECUTE format('ALTER TABLE ${schema}.%I RENAME TO %I', table_name, new_name);
      END
      $$;

      CREATE FUNCTION drop_attempts_table(table_name text) RETURNS void ${asOwner} AS $$
      BEGIN${checkName('table_name')}
        EXECUTE format('DROP TABLE ${schema}.%I', table_name);
      END
      $$;

      CREATE FUNCTION prune_audit_log(age_ms bigint, batch_size integer) RETURNS integer ${asOwner} AS $$
      DECLARE
        minimum_age_ms bigint := (SELECT r.age_ms FROM ${schema}.audit_retention r);
        cutoff timestamptz := statement_timestamp() - prune_audit_log.age_ms * interval '1 ms';
        past_id uuid := (lpad(to_hex((extract(epoch FROM cutoff) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid;
        removed integer;
      BEGIN
        -- A role that can act as the owner could change the stored retention as well.
        IF (prune_audit_log.age_ms >= minimum_age_ms) IS NOT TRUE
            AND NOT pg_has_role(session_user, current_user, 'MEMBER') THEN
          RAISE EXCEPTION 'audit log entries younger than % ms cannot be deleted', minimum_age_ms
            USING ERRCODE = 'insufficient_privilege';
        END IF;
        -- The trigger on the audit log accepts the deletion of entries that are older than 12 hours.
        PERFORM set_config('gatehouse.audit_retention', 'on', true);
        DELETE FROM ${schema}.audit_log WHERE id IN (
          SELECT a.id FROM ${schema}.audit_log a WHERE a.id < past_id AND a.created_at < cutoff ORDER BY a.id LIMIT batch_size
        );
        GET DIAGNOSTICS removed = ROW_COUNT;
        PERFORM set_config('gatehouse.audit_retention', 'off', true);
        RETURN removed;
      END
      $$;

      REVOKE ALL ON FUNCTION create_attempts_table, attach_attempts_table, rename_attempts_table,
        drop_attempts_table, prune_audit_log FROM PUBLIC;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP FUNCTION create_attempts_table, attach_attempts_table, rename_attempts_table, drop_attempts_table,
        prune_audit_log;
      DROP TABLE audit_retention;
    `);
  }
}
