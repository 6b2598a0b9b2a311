import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schemas } from '../http/client';
import { Badge } from '../components/status-badge';

type Customer = Schemas['CustomerResponse'];

/** Renders badges for the status of a customer and for an unverified email address. */
export function CustomerState({ customer }: { customer: Customer }): ReactNode {
  return (
    <Group gap={4} wrap="nowrap" component="span" display="inline-flex">
      {customer.disabledAt ? <Badge tone="bad">Disabled</Badge> : <Badge tone="good">Active</Badge>}
      {!customer.emailVerified && <Badge tone="warn">Not verified</Badge>}
    </Group>
  );
}

/** Returns the full name: "Ada Lovelace", or "" if neither name is known. */
export const fullName = ({ firstName, lastName }: Customer): string =>
  [firstName, lastName].filter(Boolean).join(' ');
