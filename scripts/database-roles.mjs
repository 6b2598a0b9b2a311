import { createHmac } from 'node:crypto';

/** The role that owns the tables and runs migrations. */
export const OWNER_ROLE = 'gatehouse_owner';
/** The role of the programs, which can neither change nor delete audit log entries (ADR 0037). */
export const RUNTIME_ROLE = 'gatehouse_runtime';

const ROLES = [OWNER_ROLE, RUNTIME_ROLE];

/** Returns the password of a role. It is derived from the superuser's password, so that no other file is needed. */
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
 * @param {string} adminUrl URL for the superuser
 * @returns {{ url: string, ownerUrl: string }}
 */
export function roleUrls(adminUrl) {
  const createUrl = (role) => {
    const url = new URL(adminUrl);
    const password = rolePassword(decodeURIComponent(url.password), role);
    return Object.assign(url, { username: role, password }).href;
  };
  return { url: createUrl(RUNTIME_ROLE), ownerUrl: createUrl(OWNER_ROLE) };
}

/**
 * Creates the roles that do not exist on a server.
 * @param {string} adminUrl
 */
export const createMissingRoles = (adminUrl) =>
  withClient(adminUrl, (client) => createRoles(client, adminUrl));

/**
 * Creates the roles, and transfers ownership to the owner role, in a database from an earlier version in which the
 * superuser owned everything. Can run again after an earlier version has created more tables.
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

/**
 * Selects the database, tables and routines that the owner role does not own, except objects that belong to extensions.
 */
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
  // Imported on demand, because npm start installs the packages first.
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
