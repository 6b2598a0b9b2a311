import { ALL_CUSTOM_EVENTS, CUSTOM_EVENT_PREFIX } from '@gatehouse/domain';
import type { Conditions } from '../sql/conditions.js';

/** Returns SQL for the condition that a column contains a custom type. */
export const isCustomTypeSql = (column: string): string => `starts_with(${column}, '${CUSTOM_EVENT_PREFIX}')`;

/** Returns SQL for the condition that a column contains one of the types. `app.*` matches all custom types. */
export function eventTypeCondition(where: Conditions, column: string, types: string[]): string {
  const isListed = `${column} = ANY (${where.bind(types)})`;
  return types.includes(ALL_CUSTOM_EVENTS) ? `(${isListed} OR ${isCustomTypeSql(column)})` : isListed;
}
