import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { OrganizationName } from '../components/record-name';

interface OperatorAccessProps {
  /** The organizations that the operator is limited to; null for no limit. */
  organizationIds: string[] | null;
  /** Maximum number of names to show. */
  max?: number;
}

/** Renders an operator's access: installation-wide, or the names of organizations. */
export function OperatorAccess({ organizationIds, max = Infinity }: OperatorAccessProps): ReactNode {
  if (!organizationIds) return 'Entire installation';
  const more = organizationIds.length - max;
  return (
    <Group component="span" gap="4px 10px">
      {organizationIds.slice(0, max).map((id) => (
        <OrganizationName key={id} id={id} link />
      ))}
      {more > 0 && <span>and {more} more</span>}
    </Group>
  );
}
