import type { Reach } from '@gatehouse/domain';
import { NIL_UUID } from './uuid-v7.js';

/**
 * SQL for the organizations, `o`, within a reach: its own and those it created, or without one all of the house.
 * @param organization placeholder of the reach's `organizationId`
 */
export const organizationsWithin = (organization: string): string =>
  `(${organization}::uuid IS NULL OR o.id = ${organization} OR o.parent_id = ${organization})`;

/** A reach of each kind, for samples of dynamic statements. */
export const sampleReaches: Reach[] = [
  { organizationId: null, projectId: null },
  { organizationId: NIL_UUID, projectId: null },
  { organizationId: NIL_UUID, projectId: NIL_UUID },
];

/** The conditions of a filtered list with their values, so that no value is ever written into SQL. */
export class Conditions {
  readonly values: unknown[] = [];
  private readonly conditions: string[] = [];

  /** The placeholder of a value. */
  bind(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  add(sql: string): this {
    this.conditions.push(sql);
    return this;
  }

  /** Adds a condition when there is a value to compare with. */
  addIf<T>(value: T | null | undefined, sql: (placeholder: string) => string): this {
    return value === null || value === undefined ? this : this.add(sql(this.bind(value)));
  }

  /**
   * Limits a list to what the caller may see.
   * @param table alias of a table with `organization_id`
   * @param projectColumn column that holds the project's id
   */
  addReach(table: string, projectColumn: string, reach: Reach): this {
    return this.add(this.reachCondition(table, projectColumn, reach));
  }

  /** The same as SQL, for a place of its own. */
  reachCondition(table: string, projectColumn: string, reach: Reach): string {
    if (reach.projectId) return `${projectColumn} = ${this.bind(reach.projectId)}`;
    // Without a condition at all, and not with one that is always true: the planner would take it for a narrow one.
    if (!reach.organizationId) return 'true';
    const own = organizationsWithin(this.bind(reach.organizationId));
    return `${table}.organization_id IN (SELECT o.id FROM organizations o WHERE ${own})`;
  }

  get sql(): string {
    return this.conditions.join(' AND ');
  }
}
