import type { Database } from '@gatehouse/persistence';
import type { TestInstance } from './test-instance.js';

/** Runs what a repository asks for, and has each statement explained. */
export class Explainer {
  readonly plans: string[][] = [];

  constructor(private readonly instance: TestInstance) {}

  readonly query = async (sql: string, values: unknown[] = []): Promise<unknown[]> => {
    const plan = await this.instance.sql<{ 'QUERY PLAN': string }>(
      `EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF) ${sql}`,
      values,
    );
    this.plans.push(plan.map((row) => row['QUERY PLAN']));
    return this.instance.sql(sql, values);
  };

  readonly prepared = this.query;

  /** The repository, whose database is this one. */
  repository<Repository>(Class: new (database: Database) => Repository): Repository {
    return new Class(this as unknown as Database);
  }
}
