import pg from 'pg';
import { OWNER_ROLE, roleUrls } from '../../scripts/database-roles.mjs';
import { setHostileSettingsSql } from './hostile-settings.mjs';

export { OWNER_ROLE, roleUrls, RUNTIME_ROLE } from '../../scripts/database-roles.mjs';

/**
 * Creates a database as a copy of a template, and returns its URLs: `url` for the runtime role, and `ownerUrl` for
 * the role that owns the tables.
 * @param {string} name
 * @param {string} template
 * @param {boolean} [isHostile] true to give sessions of both roles settings that break statements unless Gatehouse
 * overrides them
 */
export async function createDatabase(name, template, isHostile = false) {
  // FILE_COPY costs a tenth as much as a copy through the WAL.
  await runAdminStatement(
    `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY OWNER ${OWNER_ROLE}`,
  );
  if (isHostile) await runAdminStatement(setHostileSettingsSql(name));
  return roleUrls(adminUrl(name));
}

/**
 * Drops a database and ends its connections.
 * @param {string} name
 */
export function dropDatabase(name) {
  return runAdminStatement(`DROP DATABASE ${name} WITH (FORCE)`);
}

/** Returns a superuser URL for a database. @param {string} name the database's name, or another URL for it */
export function adminUrl(name) {
  const url = new URL(/** @type {string} */ (process.env.TEST_POSTGRES_URL));
  url.pathname = URL.canParse(name) ? new URL(name).pathname : `/${name}`;
  return url.href;
}

/** @param {string} sql */
async function runAdminStatement(sql) {
  const client = new pg.Client({ connectionString: process.env.TEST_POSTGRES_URL });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
