import { eventually } from '../support/eventually.js';
import { TestInstance } from '../support/test-instance.js';

/** What the fifteenth migration makes. */
const TABLE = 'redelivery_batches';

describe('migrations', () => {
  let instance: TestInstance;
  beforeAll(async () => (instance = await TestInstance.start({ workers: 0 })));
  afterAll(async () => instance?.stop());

  const applied = async (): Promise<string[]> =>
    (await instance.sql<{ name: string }>('SELECT name FROM migrations ORDER BY id')).map(({ name }) => name);

  it('hold no locks while a later one goes on, and after a failure the next start goes on where it was', async () => {
    await instance.api.end('SIGTERM');
    const all = await applied();
    await instance.sql('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    const holder = await instance.db.connect();
    // Whoever comes to this table waits, and then finds that it is there already.
    await holder.query(`BEGIN; CREATE TABLE ${TABLE} ()`);
    const api = instance.startApi();
    await eventually('the migration waiting', async () => {
      const waiting = await instance.sql(
        `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%CREATE TABLE ${TABLE}%'
           AND datname = current_database()`,
      );
      return waiting.length > 0;
    });
    const first = await applied();
    expect(first.length).toBeGreaterThan(10);
    expect(await instance.sql('SELECT FROM deliveries')).toEqual([]);
    await holder.query('COMMIT');
    holder.release();
    expect(await api.ended()).toBe(1);
    expect(await applied()).toEqual(first);

    await instance.sql(`DROP TABLE ${TABLE}`);
    instance.startApi();
    await instance.ready();
    expect(await applied()).toEqual(all);
    expect((await instance.register()).status).toBe(201);
  });
});
