import type { Reach } from '#domain';

/** The conditions of a filtered list with their values, so that no value is ever written into SQL. */
export class Conditions {
  readonly values: unknown[] = [];
  private readonly parts: string[] = [];

  /** The placeholder of a value. */
  value(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  add(sql: string): this {
    this.parts.push(sql);
    return this;
  }

  /** Adds a condition when there is a value to compare with. */
  addIf<T>(value: T | null | undefined, sql: (placeholder: string) => string): this {
    return value === null || value === undefined ? this : this.add(sql(this.value(value)));
  }

  /**
   * Limits a list to what the caller may see.
   * @param table alias of a table with `organization_id`
   * @param projectColumn column that holds the project's id
   */
  reach(table: string, projectColumn: string, reach: Reach): this {
    if (reach.projectId) return this.add(`${projectColumn} = ${this.value(reach.projectId)}`);
    const organization = this.value(reach.organizationId);
    return this.add(
      `${table}.organization_id IN (SELECT id FROM organizations WHERE id = ${organization} OR parent_id = ${organization})`,
    );
  }

  get sql(): string {
    return this.parts.join(' AND ');
  }
}
