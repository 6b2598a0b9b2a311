import { Group, Paper, SimpleGrid, Stack, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { Can } from '../session/roles';
import { api, unwrap, type Schemas } from '../http/client';
import { useApiMutation } from '../http/queries';
import { CopyButton } from '../components/copy-button';
import { DangerAction, DangerZone } from '../components/danger-zone';
import { PropertyList } from '../components/property-list';
import { UntrustedText } from '../components/untrusted-text';
import { Id } from '../components/id';
import { JsonView } from '../components/json-view';
import { ProjectName } from '../components/record-name';
import { RelativeTime } from '../components/relative-time';
import { toastSuccess } from '../components/toast';
import { CustomerFactors } from './customer-factors';
import { CustomerIdentities } from './customer-identities';
import { fullName } from './customer-state';
import { EditCustomer } from './edit-customer';

const LIST_PATH = '/operator/v1/customers';
const COUNT_PATH = '/operator/v1/customers/count';

type Customer = Schemas['OperatorCustomerResponse'];

/**
 * Renders a customer's profile, second factors and identities, the metadata that the application stores, and the delete
 * action.
 */
export function CustomerProfile({ customer }: { customer: Customer }): ReactNode {
  return (
    <Stack>
      <Paper component="section" aria-label="Profile">
        <Group justify="space-between" mb="sm">
          <Title order={2}>Profile</Title>
          <Can role="admin">
            <EditCustomer customer={customer} />
          </Can>
        </Group>
        <PropertyList
          items={{
            Email: (
              <Group gap={4} wrap="nowrap">
                <UntrustedText text={customer.email} />
                <CopyButton value={customer.email} name="email" />
              </Group>
            ),
            Name: <UntrustedText text={fullName(customer)} />,
            Project: <ProjectName id={customer.projectId} link />,
            ID: <Id id={customer.id} />,
            'External ID': <UntrustedText text={customer.externalId} mono />,
            Language: <UntrustedText text={customer.locale} mono />,
            ...(customer.imageUrl !== null && {
              // Shown as text, because the Content Security Policy allows no images from other origins.
              Image: <UntrustedText text={customer.imageUrl} mono />,
            }),
            Password: customer.hasPassword ? 'Set' : 'Not set',
            'Last sign-in': <RelativeTime at={customer.lastLoginAt} fallback="Never" />,
            Created: <RelativeTime at={customer.createdAt} />,
            Updated: <RelativeTime at={customer.updatedAt} />,
            ...(customer.disabledAt && { Disabled: <RelativeTime at={customer.disabledAt} /> }),
          }}
        />
      </Paper>
      <CustomerFactors customer={customer} />
      <CustomerIdentities customerId={customer.id} />
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
  const remove = useApiMutation(() =>
    unwrap(
      api.DELETE('/operator/v1/customers/{customerId}', { params: { path: { customerId: customer.id } } }),
    ),
  );
  return (
    <DangerZone>
      <DangerAction
        title="Delete this customer"
        description="This deletes the customer, including all sessions, emails and metadata, and cancels pending deliveries about the customer. The email address can be registered again. This cannot be undone."
        confirmLabel="Delete customer"
        confirmationText={customer.email}
        onConfirm={async () => {
          await remove.mutateAsync(undefined);
          toastSuccess('Customer deleted');
          // Discards only the list and its count, so that the deleted customer is not requested again.
          client.removeQueries({
            predicate: ({ queryKey: [path] }) => path === LIST_PATH || path === COUNT_PATH,
          });
          await navigate('/customers', { replace: true });
        }}
      />
    </DangerZone>
  );
}
