import type { Database } from '@gatehouse/persistence';
import type { TestInstance } from './test-instance.js';

/** Runs a repository's statements and records each plan. */
export class Explainer {
  readonly plans: string[][] = [];

  constructor(private readonly instance: Pick<TestInstance, 'sql'>) {}

  readonly execute = async (
    { text, values: boundValues }: { text: string; values?: unknown[] },
    values = boundValues ?? [],
  ): Promise<unknown[]> => {
    const plan = await this.instance.sql<{ 'QUERY PLAN': string }>(
      `EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF) ${text}`,
      values,
    );
    this.plans.push(plan.map((row) => row['QUERY PLAN']));
    return this.instance.sql(text, values);
  };

  /** Creates a repository that uses this explainer as its database. */
  repository<Repository>(Class: new (database: Database) => Repository): Repository {
    return new Class(this as unknown as Database);
  }
}
