import type { ProviderClaims } from '../identity-providers/provider-profile.js';
import { hasRole, type OperatorRole } from './role.js';

/** Maps a claim value to a role. The value `*` grants the role to everyone. */
export interface RoleMapping {
  role: OperatorRole;
  value: string;
}

/**
 * Returns the strings in a claim, which can be a single string or a list.
 * @param path a claim name, or nested member names, separated by periods
 */
export function readClaimValues(claims: ProviderClaims, path: string): string[] {
  const value = Object.hasOwn(claims, path)
    ? claims[path]
    : path
        .split('.')
        .reduce<unknown>(
          (object, name) =>
            typeof object === 'object' && object !== null && Object.hasOwn(object, name)
              ? (object as Record<string, unknown>)[name]
              : undefined,
          claims,
        );
  return [value].flat().filter((each): each is string => typeof each === 'string' && each !== '');
}

/** Returns the highest role that the values of a claim grant, or null. */
export function findRole(values: string[], mappings: RoleMapping[]): OperatorRole | null {
  const roles = mappings
    .filter(({ value }) => value === '*' || values.includes(value))
    .map(({ role }) => role);
  return roles.reduce<OperatorRole | null>(
    (highest, role) => (highest && hasRole(highest, role) ? highest : role),
    null,
  );
}
