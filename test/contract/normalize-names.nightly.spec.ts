import pg from 'pg';
import { adminUrl, createDatabase, dropDatabase } from '../support/databases.mjs';
import { migrateDatabase } from '../support/migrate-database.js';
import { TestInstance } from '../support/test-instance.js';

const name = 'gatehouse_names';
let instance: TestInstance;
let admin: pg.Client;
let urls: { url: string; ownerUrl: string };
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  urls = await createDatabase(name, process.env['TEST_TEMPLATE']!);
  admin = new pg.Client({ connectionString: adminUrl(name) });
  await admin.connect();
  await admin.query(`
    INSERT INTO organizations (id, name, slug) VALUES (gen_random_uuid(), 'Menabrea', 'menabrea');
    INSERT INTO projects (id, organization_id, name, slug, environment)
    SELECT gen_random_uuid(), id, 'Shop', 'shop', 'development' FROM organizations`);
});
afterAll(async () => {
  await admin?.end();
  await dropDatabase(name);
  await instance?.stop();
});

const DECOMPOSED = 'Jose\u0301';
const COMPOSED = 'Jos\u00e9';

/** Inserts customers with their number as last name, every third with a decomposed first name. */
const insertCustomers = (count: number): Promise<unknown> =>
  admin.query(
    `INSERT INTO customers (id, project_id, email, first_name, last_name, updated_at)
     SELECT gen_random_uuid(), (SELECT id FROM projects), n || '@example.com',
       CASE WHEN n % 3 = 0 THEN $2 WHEN n % 3 = 1 THEN 'Ada' END, n, 'epoch'
     FROM generate_series(1, $1::int) n`,
    [count, DECOMPOSED],
  );

describe('the name normalization migration', () => {
  it('converts stored names to NFC in batches, and changes nothing else', async () => {
    await admin.query(`
      DELETE FROM migrations WHERE name LIKE 'NormalizeNames%';
      DROP FUNCTION normalize_names CASCADE`);
    await insertCustomers(4_100);
    await admin.query('UPDATE organizations SET name = $1', [DECOMPOSED]);
    const read = async () => (await admin.query(`SELECT * FROM customers ORDER BY last_name::int`)).rows;
    const before = await read();
    expect(await migrateDatabase(instance, urls)).toEqual(['NormalizeNames1764900096000']);
    const changed = before.map((row) => ({
      ...row,
      first_name: row['first_name'] === DECOMPOSED ? COMPOSED : row['first_name'],
    }));
    expect(await read()).toEqual(changed);
    const { rows } = await admin.query('SELECT DISTINCT name FROM organizations');
    expect(rows).toEqual([{ name: COMPOSED }]);
  });

  it('converts names that an API process on the previous version stores afterwards', async () => {
    const runtime = new pg.Client({ connectionString: urls.url });
    await runtime.connect();
    try {
      const { rows: inserted } = await runtime.query(
        `INSERT INTO customers (id, project_id, email, first_name, last_name)
         VALUES (gen_random_uuid(), (SELECT id FROM projects), 'new@example.com', $1, 'Ma')
         RETURNING first_name, last_name`,
        [DECOMPOSED],
      );
      expect(inserted).toEqual([{ first_name: COMPOSED, last_name: 'Ma' }]);
      const { rows: updated } = await runtime.query(
        `UPDATE customers SET last_name = $1, metadata = '{"n":1}', last_login_at = 'epoch'
         WHERE email = 'new@example.com' RETURNING first_name, last_name, metadata, last_login_at`,
        [DECOMPOSED],
      );
      expect(updated).toEqual([
        { first_name: COMPOSED, last_name: COMPOSED, metadata: { n: 1 }, last_login_at: new Date(0) },
      ]);
    } finally {
      await runtime.end();
    }
  });
});
