import pg from 'pg';

/**
 * Creates a database as a copy of a template and returns its URL.
 * @param {string} name
 * @param {string} template
 * @returns {Promise<string>}
 */
export async function createDatabase(name, template) {
  // FILE_COPY takes a tenth of the work of copying the template through the log.
  await runAdminStatement(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  const url = new URL(/** @type {string} */ (process.env.TEST_POSTGRES_URL));
  url.pathname = `/${name}`;
  return url.href;
}

/**
 * Drops a database and ends its connections.
 * @param {string} name
 */
export function dropDatabase(name) {
  return runAdminStatement(`DROP DATABASE ${name} WITH (FORCE)`);
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
