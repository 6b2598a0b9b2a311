import { readFileSync } from 'node:fs';
import { declaredStatements, type DeclaredStatement } from '@gatehouse/persistence';
import { describeStatement } from '../support/describe-statement.js';
import { crossOrganizationStatements, describeScope, distributionColumns } from '../support/distribution.js';
import { TestInstance } from '../support/test-instance.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(() => instance?.stop());

/** Returns the differences between the rows that a statement declares and those that PostgreSQL describes. */
async function differences(statements: Pick<DeclaredStatement, 'columns' | 'text'>[]): Promise<string[]> {
  const found: string[] = [];
  const client = await instance.db.connect();
  try {
    for (const { columns, text } of statements) {
      const add = (difference: string) => found.push(`${difference}: ${text.trim()}`);
      try {
        const described = await describeStatement(client, text);
        const types = (list: [string, string][]) =>
          list
            .map(([name, type]) => `${name} ${type}`)
            .sort()
            .join(', ');
        const declaredTypes = types(Object.entries(columns).map(([name, { type }]) => [name, type]));
        const describedTypes = types(described.map(({ name, type }) => [name, type]));
        if (declaredTypes !== describedTypes)
          add(`declares (${declaredTypes}), but returns (${describedTypes})`);
        for (const { name, nullable } of described) {
          if (nullable && columns[name]?.nullable === false) add(`declares ${name} not null`);
        }
      } catch (error) {
        add(String(error));
      }
    }
  } finally {
    client.release();
  }
  return found;
}

describe('a declared statement', () => {
  it('matches the migrated schema, and returns the declared columns', async () => {
    const statements = declaredStatements();
    expect(statements.length).toBeGreaterThan(50);
    expect(await differences(statements)).toEqual([]);
  });

  it('causes the comparison to fail if a property of a column differs', async () => {
    const text = 'SELECT id, disabled_at AS "disabledAt" FROM customers';
    const id = { type: 'uuid', nullable: false };
    const disabledAt = { type: 'timestamp with time zone', nullable: true };
    expect(await differences([{ columns: { id, disabledAt }, text }])).toEqual([]);
    const differing: Pick<DeclaredStatement, 'columns' | 'text'>[] = [
      { columns: { id }, text },
      { columns: { id, disabledAt, name: id }, text },
      { columns: { id, disabled_at: disabledAt }, text },
      { columns: { id, disabledAt: { ...disabledAt, type: 'date' } }, text },
      { columns: { id, disabledAt: { ...disabledAt, nullable: false } }, text },
      { columns: { id, disabledAt }, text: text.replace('disabled_at', 'disabled') },
      { columns: {}, text },
      { columns: { id }, text: `DELETE FROM customers WHERE id = '${instance.credentials.projectId}'` },
    ];
    for (const each of differing)
      expect([each, await differences([each])]).toEqual([each, [expect.any(String)]]);
  });
});

describe('the partitioning of tables across databases', () => {
  it('specifies, for each table, a column that leads to the organization', async () => {
    const rows = await instance.sql<{ name: string; columns: string[] }>(
      `SELECT t.relname AS name, array_agg(a.attname::text) AS columns
       FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
       WHERE t.relnamespace = current_schema()::regnamespace AND t.relkind IN ('r', 'p') AND NOT t.relispartition
         AND t.relname <> 'migrations'
       GROUP BY t.relname ORDER BY t.relname`,
    );
    expect(rows.map(({ name }) => name)).toEqual(Object.keys(distributionColumns));
    const missing = rows.filter(({ name, columns }) => {
      const column = distributionColumns[name];
      return column && !columns.includes(column);
    });
    expect(missing).toEqual([]);
  });

  it('matches the table in docs/scaling.md', () => {
    const document = readFileSync('docs/scaling.md', 'utf8');
    const missing = Object.entries(distributionColumns).filter(
      ([table, column]) =>
        !new RegExp(`\\| \`${table}\` +\\| ${column ? `\`${column}\`` : 'none'} +\\|`).test(document),
    );
    expect(missing).toEqual([]);
  });

  it('has exceptions only for the listed statements', () => {
    const crossing = declaredStatements()
      .map(({ text }) => describeScope(text))
      .filter(({ scope }) => scope === 'all')
      .map(({ signature }) => signature);
    const listed = Object.values(crossOrganizationStatements).flat().sort();
    expect([...new Set(crossing)].sort()).toEqual(listed);
  });

  it('recognizes a statement without an organization', () => {
    expect(describeScope('SELECT id FROM customers WHERE email = $1')).toEqual({
      scope: 'all',
      signature: 'select customers',
    });
    expect(describeScope('SELECT id FROM customers WHERE project_id = $1 AND email = $2').scope).toBe(
      'organization',
    );
    expect(describeScope('UPDATE sessions SET revoked_at = now() WHERE id = $1').scope).toBe('object');
    expect(describeScope('DELETE FROM workers').scope).toBe('installation');
  });
});
