// Raw SQL: granting privileges that only the table owner can grant (ADR 0037).
import type { QueryRunner } from 'typeorm';
import { PARTITION_LOCK } from '../webhooks/attempt-partitions.js';

/** The runtime role's privileges on tables that are not in `RESTRICTED_TABLES`, in alphabetical order. */
const TABLE_PRIVILEGES = 'DELETE, INSERT, SELECT, UPDATE';

/** Tables that the runtime role must not change freely, with its privileges on them in alphabetical order. */
const RESTRICTED_TABLES: Record<string, string> = {
  audit_log: 'INSERT, SELECT',
  audit_retention: 'SELECT',
  migration_lease: 'SELECT',
  migrations: 'SELECT',
};

/**
 * Returns the statements that give the role $1 exactly the required privileges. If the role can act as the table
 * owner, they only revoke privileges from PUBLIC.
 */
const MISSING_GRANTS = `
  WITH runtime AS (
      SELECT oid, quote_ident(rolname) AS name FROM pg_roles
      WHERE rolname = $1
        AND NOT pg_has_role(oid, (SELECT relowner FROM pg_class WHERE oid = 'migrations'::regclass), 'USAGE')
    ),
    home AS (SELECT oid, quote_ident(nspname) AS name FROM pg_namespace WHERE nspname = current_schema()),
    restricted AS (SELECT * FROM unnest($2::text[], $3::text[]) AS r (table_name, privileges)),
    owner_functions AS (
      SELECT p.oid, coalesce(p.proacl, acldefault('f', p.proowner)) AS acl FROM pg_proc p JOIN home ON home.oid = p.pronamespace
      WHERE p.prosecdef AND pg_has_role(p.proowner, 'USAGE')
    )
  SELECT format('GRANT USAGE ON SCHEMA %s TO %s', home.name, runtime.name) AS sql FROM home, runtime
  WHERE NOT has_schema_privilege(runtime.oid, home.oid, 'USAGE')
  UNION ALL
  SELECT format('REVOKE CREATE ON SCHEMA %1$s FROM PUBLIC; REVOKE CREATE ON SCHEMA %1$s FROM %2$s', home.name, runtime.name)
  FROM home, runtime WHERE has_schema_privilege(runtime.oid, home.oid, 'CREATE')
  UNION ALL
  SELECT format('ALTER DEFAULT PRIVILEGES IN SCHEMA %s GRANT ${TABLE_PRIVILEGES} ON TABLES TO %s', home.name, runtime.name)
  FROM home, runtime
  WHERE NOT EXISTS (
    SELECT FROM pg_default_acl d, aclexplode(d.defaclacl) a
    WHERE d.defaclrole = current_user::regrole AND d.defaclnamespace = home.oid AND d.defaclobjtype = 'r'
      AND a.grantee = runtime.oid)
  UNION ALL
  SELECT format('REVOKE ALL ON %1$s FROM PUBLIC, %2$s; GRANT %3$s ON %1$s TO %2$s', c.oid::regclass, runtime.name, wanted)
  FROM home, runtime, pg_class c LEFT JOIN restricted r ON r.table_name = c.relname,
    coalesce(r.privileges, '${TABLE_PRIVILEGES}') AS wanted
  WHERE c.relnamespace = home.oid AND c.relkind IN ('r', 'p') AND pg_has_role(c.relowner, 'USAGE')
    AND wanted IS DISTINCT FROM (
      SELECT string_agg(privilege_type, ', ' ORDER BY privilege_type) FROM aclexplode(c.relacl)
      WHERE grantee IN (0, runtime.oid))
  UNION ALL
  SELECT format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f.oid::regprocedure) FROM owner_functions f
  WHERE EXISTS (SELECT FROM aclexplode(f.acl) WHERE grantee = 0)
  UNION ALL
  SELECT format('GRANT EXECUTE ON FUNCTION %s TO %s', f.oid::regprocedure, runtime.name) FROM owner_functions f, runtime
  WHERE NOT EXISTS (SELECT FROM aclexplode(f.acl) WHERE grantee = runtime.oid)`;

/**
 * Grants the runtime role its privileges on everything that migrations have created, and sets default privileges for
 * everything that later migrations create. Revokes all other privileges, such as changing the audit log, from the role
 * and from PUBLIC.
 */
export async function grantRuntimePrivileges(owner: QueryRunner, runtimeRole: string): Promise<void> {
  const restricted = [Object.keys(RESTRICTED_TABLES), Object.values(RESTRICTED_TABLES)];
  await owner.startTransaction();
  // Prevents workers from dropping partitions in the meantime.
  await owner.query('SELECT pg_advisory_xact_lock($1)', [PARTITION_LOCK]);
  const missing = (await owner.query(MISSING_GRANTS, [runtimeRole, ...restricted])) as { sql: string }[];
  for (const { sql } of missing) await owner.query(sql);
  await owner.commitTransaction();
}
