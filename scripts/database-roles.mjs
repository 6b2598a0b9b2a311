import { createHmac } from 'node:crypto';

/** The role that owns the tables and runs migrations. */
export const OWNER_ROLE = 'gatehouse_owner';
/** The role for the programs. It can neither change nor delete audit log entries (ADR 0037). */
export const RUNTIME_ROLE = 'gatehouse_runtime';

const ROLES = [OWNER_ROLE, RUNTIME_ROLE];

/** Returns a role's password. It is derived from the superuser's password, so that no further file is needed. */
const rolePassword = (adminPassword, role) =>
  createHmac('sha256', adminPassword).update(role).digest('base64url');

const createRoleSql = (adminPassword, role) =>
  `CREATE ROLE ${role} LOGIN PASSWORD '${rolePassword(adminPassword, role)}';`;

/** Returns statements, one per line, that create the roles and an empty database. */
export const createDatabaseSql = (adminPassword) =>
  [
    ...ROLES.map((role) => createRoleSql(adminPassword, role)),
    `CREATE DATABASE gatehouse OWNER ${OWNER_ROLE};`,
    '',
  ].join('\n');

/**
 * Returns the database URL for each role.
 * @param {string} adminUrl the superuser's URL
 * @returns {{ url: string, ownerUrl: string }}
 */
export function roleUrls(adminUrl) {
  const urlOf = (role) => {
    const url = new URL(adminUrl);
    const password = rolePassword(decodeURIComponent(url.password), role);
    return Object.assign(url, { username: role, password }).href;
  };
  return { url: urlOf(RUNTIME_ROLE), ownerUrl: urlOf(OWNER_ROLE) };
}

/**
 * Creates the roles that a server lacks.
 * @param {string} adminUrl
 */
export const createMissingRoles = (adminUrl) =>
  withClient(adminUrl, (client) => createRoles(client, adminUrl));

/**
 * Creates the roles in a database from an earlier version, in which the superuser owns everything, and moves the
 * ownership. Also after the earlier version has run again, and has created tables.
 * @param {string} adminUrl
 */
export const moveOwnership = (adminUrl) =>
  withClient(adminUrl, async (client) => {
    await client.query('BEGIN');
    await createRoles(client, adminUrl);
    const { rows } = await client.query(FOREIGN_OBJECTS);
    for (const { object } of rows) await client.query(`ALTER ${object} OWNER TO ${OWNER_ROLE}`);
    await client.query('COMMIT');
  });

/** The database, and the tables and functions in it, that the owner role does not own. Objects that belong to extensions stay. */
const FOREIGN_OBJECTS = `
  SELECT format('DATABASE %I', datname) AS object FROM pg_database
  WHERE datname = current_database() AND datdba <> '${OWNER_ROLE}'::regrole
  UNION ALL SELECT format('TABLE %s', oid::regclass) FROM pg_class
  WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relowner <> '${OWNER_ROLE}'::regrole
  UNION ALL SELECT format('ROUTINE %s', oid::regprocedure) FROM pg_proc
  WHERE pronamespace = 'public'::regnamespace AND proowner <> '${OWNER_ROLE}'::regrole
    AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e')`;

async function createRoles(client, adminUrl) {
  const { rows } = await client.query('SELECT rolname AS name FROM pg_roles WHERE rolname = ANY ($1)', [
    ROLES,
  ]);
  const adminPassword = decodeURIComponent(new URL(adminUrl).password);
  for (const role of ROLES.filter((each) => !rows.some(({ name }) => name === each)))
    await client.query(createRoleSql(adminPassword, role));
}

async function withClient(adminUrl, work) {
  // Imported here, because npm start installs the packages first.
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: adminUrl });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
