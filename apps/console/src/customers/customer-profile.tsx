import { Group, Paper, SimpleGrid, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { Can } from '../app/roles';
import { api, data, type Schemas } from '../http/client';
import { useSend } from '../http/queries';
import { CopyButton } from '../parts/copy-button';
import { Danger, DangerZone } from '../parts/danger-zone';
import { Facts } from '../parts/facts';
import { ForeignText } from '../parts/foreign-text';
import { Id } from '../parts/id';
import { JsonView } from '../parts/json-view';
import { ProjectName } from '../parts/record-name';
import { RelativeTime } from '../parts/relative-time';
import { toastDone } from '../parts/toast';
import { nameOf } from './customer-state';

const LIST = '/operator/v1/customers';
const COUNT = '/operator/v1/customers/count';

type Customer = Schemas['OperatorCustomerResponse'];

/** Who they are, what the application keeps about them, and their end. */
export function CustomerProfile({ customer }: { customer: Customer }): ReactNode {
  return (
    <Stack>
      <Paper>
        <Facts
          of={{
            Email: (
              <Group gap={4} wrap="nowrap">
                <ForeignText text={customer.email} />
                <CopyButton value={customer.email} name="email" />
              </Group>
            ),
            Name: <ForeignText text={nameOf(customer)} />,
            Project: <ProjectName id={customer.projectId} link />,
            ID: <Id id={customer.id} />,
            'External ID': <ForeignText text={customer.externalId} mono />,
            Password: customer.hasPassword ? 'Set' : 'Not set',
            'Last sign-in': <RelativeTime at={customer.lastLoginAt} none="Never" />,
            Created: <RelativeTime at={customer.createdAt} />,
            Updated: <RelativeTime at={customer.updatedAt} />,
            ...(customer.disabledAt && { Disabled: <RelativeTime at={customer.disabledAt} /> }),
          }}
        />
      </Paper>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <JsonView name="Metadata" value={customer.metadata} />
        <JsonView name="Public metadata" value={customer.publicMetadata} />
      </SimpleGrid>
      <Can role="admin">
        <DeleteCustomer customer={customer} />
      </Can>
    </Stack>
  );
}

function DeleteCustomer({ customer }: { customer: Customer }): ReactNode {
  const navigate = useNavigate();
  const client = useQueryClient();
  const remove = useSend(() =>
    data(
      api.DELETE('/operator/v1/customers/{customerId}', { params: { path: { customerId: customer.id } } }),
    ),
  );
  return (
    <DangerZone>
      <Danger
        title="Delete this customer"
        about="Deletes the customer, including all sessions, emails and metadata, and cancels pending deliveries about the customer. The email address can be registered again. This cannot be undone."
        confirm="Delete customer"
        typed={customer.email}
        onConfirm={async () => {
          await remove.mutateAsync(undefined);
          toastDone('Customer deleted');
          // The list alone is read anew: what is gone must not be asked for again.
          client.removeQueries({ predicate: ({ queryKey: [path] }) => path === LIST || path === COUNT });
          await navigate('/customers', { replace: true });
        }}
      />
    </DangerZone>
  );
}
