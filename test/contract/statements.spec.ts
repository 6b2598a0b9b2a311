import { declaredStatements, type DeclaredStatement } from '@gatehouse/persistence';
import { describeStatement } from '../support/describe-statement.js';
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

describe('the declared statements', () => {
  it('are valid in the migrated schema, and return the columns that they declare', async () => {
    const statements = declaredStatements();
    expect(statements.length).toBeGreaterThan(50);
    expect(await differences(statements)).toEqual([]);
  });

  it('are compared by each property of a column', async () => {
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
