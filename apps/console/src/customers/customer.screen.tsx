import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { useParams } from 'react-router';
import { useGet } from '../http/queries';
import { UntrustedText } from '../components/untrusted-text';
import { QueryContent } from '../components/query-content';
import { Page } from '../components/page';
import { PageTabs } from '../components/page-tabs';
import { CustomerButtons } from './customer-buttons';
import { CustomerLock } from './customer-lock';
import { CustomerProfile } from './customer-profile';
import { CustomerSessions } from './customer-sessions';
import { CustomerState } from './customer-state';
import { CustomerTimeline } from './customer-timeline';
import { CustomerDeliveries } from './customer-webhooks';

export function CustomerScreen(): ReactNode {
  const { id: customerId = '' } = useParams();
  const query = useGet('/operator/v1/customers/{customerId}', { path: { customerId } });
  const customer = query.data;
  return (
    <Page
      title={customer?.email ?? 'Customer'}
      heading={
        customer && (
          <Group gap="xs">
            <UntrustedText text={customer.email} />
            <CustomerState customer={customer} />
          </Group>
        )
      }
      back={{ to: '/customers', label: 'Customers' }}
      actions={customer && <CustomerButtons customer={customer} />}
    >
      <QueryContent query={query}>
        {(found) => (
          <>
            <CustomerLock customer={found} />
            <PageTabs
              label="Customer sections"
              tabs={{
                timeline: { label: 'Timeline', panel: () => <CustomerTimeline customer={found} /> },
                profile: { label: 'Profile', panel: () => <CustomerProfile customer={found} /> },
                sessions: { label: 'Sessions', panel: () => <CustomerSessions customerId={customerId} /> },
                webhooks: { label: 'Webhooks', panel: () => <CustomerDeliveries customerId={customerId} /> },
              }}
            />
          </>
        )}
      </QueryContent>
    </Page>
  );
}
