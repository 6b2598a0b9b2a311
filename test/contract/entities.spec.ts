import { declaredColumns, type Database, type DeclaredColumn } from '@gatehouse/persistence';
import { connectDatabase } from '../support/connect-database.js';
import { TestInstance } from '../support/test-instance.js';

/** The schema in which the tables are created from the entity declarations, in a transaction that is rolled back. */
const DECLARED = 'declared';

/** All column properties except comments, privileges and position, which differ or are not declared. */
const COLUMNS = `
  SELECT c.table_name || '.' || c.column_name AS name,
    jsonb_build_object('type', format_type(a.atttypid, a.atttypmod), 'nullable', c.is_nullable,
      'default', c.column_default, 'identity', c.is_identity, 'generated', c.generation_expression) AS column
  FROM information_schema.columns c
    JOIN pg_class t ON t.relname = c.table_name AND t.relnamespace = c.table_schema::regnamespace
    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attname = c.column_name
  WHERE c.table_schema = $1 AND NOT t.relispartition AND c.table_name <> 'migrations'`;

let instance: TestInstance;
let database: Database;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  database = await connectDatabase(instance);
});
afterAll(async () => {
  await database?.close();
  await instance?.stop();
});

/** Returns the declared columns and the migrated schema's columns, by table and name. */
async function comparedColumns(declared: DeclaredColumn[]): Promise<{ declared: object; migrated: object }> {
  const tables = new Set(declared.map(({ table }) => table));
  const client = await instance.db.connect();
  const read = async (schema: string) => {
    const { rows } = await client.query<{ name: string; column: object }>(COLUMNS, [schema]);
    return Object.fromEntries(rows.map(({ name, column }) => [name, column]));
  };
  try {
    await client.query(`BEGIN; CREATE SCHEMA ${DECLARED}`);
    for (const table of tables) {
      const columns = declared.filter((column) => column.table === table);
      const definitions = columns.map(({ name, definition }) => `"${name}" ${definition}`);
      await client.query(`CREATE TABLE ${DECLARED}."${table}" (${definitions.join(', ')})`);
    }
    return { declared: await read(DECLARED), migrated: await read('public') };
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

describe('an entity', () => {
  it('declares the name, type, nullability and default of every column of the migrated schema', async () => {
    const { declared, migrated } = await comparedColumns(declaredColumns(database));
    expect(Object.keys(migrated).length).toBeGreaterThan(250);
    expect(declared).toEqual(migrated);
  });

  const withCreatedAt = (definition: string, name = 'created_at') =>
    declaredColumns(database).map((column) =>
      column.table === 'customers' && column.name === 'created_at' ? { ...column, name, definition } : column,
    );
  const CREATED_AT = 'timestamptz(3) NOT NULL DEFAULT now()';

  it('causes the comparison to fail if a property of a column differs', async () => {
    const same = await comparedColumns(withCreatedAt(CREATED_AT));
    expect(same.declared).toEqual(same.migrated);
    const withoutWorkers = declaredColumns(database).filter(({ table }) => table !== 'workers');
    const differing = {
      'a missing entity': withoutWorkers,
      'an entity without a table': [
        ...declaredColumns(database),
        { table: 'other', name: 'id', definition: 'uuid' },
      ],
      'a missing column': declaredColumns(database).filter(({ name }) => name !== 'lines_mac'),
      'a different name': withCreatedAt(CREATED_AT, 'made_at'),
      'a different type': withCreatedAt('timestamp(3) NOT NULL DEFAULT now()'),
      'a different precision': withCreatedAt('timestamptz(6) NOT NULL DEFAULT now()'),
      'an array': withCreatedAt('timestamptz(3)[] NOT NULL DEFAULT ARRAY[now()]'),
      'a different nullability': withCreatedAt('timestamptz(3) DEFAULT now()'),
      'a different default': withCreatedAt('timestamptz(3) NOT NULL DEFAULT statement_timestamp()'),
      'no default': withCreatedAt('timestamptz(3) NOT NULL'),
    };
    for (const [difference, columns] of Object.entries(differing)) {
      const { declared, migrated } = await comparedColumns(columns);
      expect([difference, declared]).not.toEqual([difference, migrated]);
    }
  });
});
