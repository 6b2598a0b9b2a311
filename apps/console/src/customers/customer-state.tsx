import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schemas } from '../http/client';
import { Badge } from '../parts/status-badge';

type Customer = Schemas['CustomerResponse'];

/** Whether they can sign in, and whether their address is theirs. */
export function CustomerState({ customer }: { customer: Customer }): ReactNode {
  return (
    <Group gap={4} wrap="nowrap" component="span" display="inline-flex">
      {customer.disabledAt ? <Badge tone="bad">Disabled</Badge> : <Badge tone="good">Active</Badge>}
      {!customer.emailVerified && <Badge tone="warn">Not verified</Badge>}
    </Group>
  );
}

/** "Ada Lovelace"; "" when neither name is known. */
export const fullName = ({ firstName, lastName }: Customer): string =>
  [firstName, lastName].filter(Boolean).join(' ');
