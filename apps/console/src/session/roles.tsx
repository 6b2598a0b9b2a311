import type { ReactNode } from 'react';
import { useOperator, type Role } from './session';

const roleOrder: Role[] = ['viewer', 'operator', 'admin'];

/** Returns the signed-in operator's role. */
export const useRole = (): Role => useOperator().role;

/** Returns true if a role has all permissions of another role. */
export const roleIncludes = (role: Role, required: Role): boolean =>
  roleOrder.indexOf(role) >= roleOrder.indexOf(required);

/** Returns true if the signed-in operator has this role or a higher one. */
export const useCan = (required: Role): boolean => roleIncludes(useRole(), required);

/** Returns true unless the signed-in operator is limited to organizations. */
export const useHasInstallationAccess = (): boolean => useOperator().organizationIds === null;

/** Renders its children only for this role or a higher one. The API enforces permissions independently. */
export function Can(props: { role: Role; children: ReactNode; fallback?: ReactNode }): ReactNode {
  return useCan(props.role) ? props.children : (props.fallback ?? null);
}
