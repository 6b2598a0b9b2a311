import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schemas } from '../http/client';
import { Badge } from '../components/status-badge';

type Customer = Schemas['ListedCustomerResponse'];

/** Renders badges for a customer's status, a lock after failed sign-ins, and an unverified email address. */
export function CustomerState({ customer }: { customer: Customer }): ReactNode {
  return (
    <Group gap={4} wrap="nowrap" component="span" display="inline-flex">
      {customer.disabledAt ? (
        <Badge tone="bad">Disabled</Badge>
      ) : (
        !customer.lock && <Badge tone="good">Active</Badge>
      )}
      {customer.lock && <Badge tone="warn">Locked</Badge>}
      {!customer.emailVerified && <Badge tone="warn">Not verified</Badge>}
    </Group>
  );
}

/** Returns the full name: "Ada Lovelace"; "" without names. */
export const fullName = ({ firstName, lastName }: Pick<Customer, 'firstName' | 'lastName'>): string =>
  [firstName, lastName].filter(Boolean).join(' ');
