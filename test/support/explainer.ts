import type { Database } from '#persistence';
import type { House } from './house.js';

/** Runs what a repository asks for, and has each statement explained. */
export class Explainer {
  readonly plans: string[][] = [];

  constructor(private readonly house: House) {}

  readonly query = async (sql: string, values: unknown[] = []): Promise<unknown[]> => {
    const plan = await this.house.sql<{ 'QUERY PLAN': string }>(
      `EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF) ${sql}`,
      values,
    );
    this.plans.push(plan.map((row) => row['QUERY PLAN']));
    return this.house.sql(sql, values);
  };

  readonly prepared = this.query;

  /** The repository, whose database is this one. */
  repository<Repository>(Class: new (database: Database) => Repository): Repository {
    return new Class(this as unknown as Database);
  }
}
