import type { ReactNode } from 'react';
import { useOperator, type Role } from './session';

const roleOrder: Role[] = ['viewer', 'operator', 'admin'];

/** The role of who is signed in. */
export const useRole = (): Role => useOperator().role;

/** Whether who is signed in may do what this role may. */
export const useCan = (needed: Role): boolean => roleOrder.indexOf(useRole()) >= roleOrder.indexOf(needed);

/** Shows what only this role, or a higher one, can use. The api refuses the others by itself. */
export function Can(props: { role: Role; children: ReactNode; fallback?: ReactNode }): ReactNode {
  return useCan(props.role) ? props.children : (props.fallback ?? null);
}
