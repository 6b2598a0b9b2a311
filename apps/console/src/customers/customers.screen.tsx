import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Schemas } from '../http/client';
import { choiceFilter, projectFilter, textFilter, timeFilter } from '../lists/filters';
import { List } from '../lists/list';
import type { Column } from '../lists/list-table';
import { useList } from '../lists/use-list';
import { UntrustedText } from '../components/untrusted-text';
import { Page } from '../components/page';
import { ProjectName } from '../components/record-name';
import { RelativeTime } from '../components/relative-time';
import { CustomerState, fullName } from './customer-state';

type Customer = Schemas['ListedCustomerResponse'];

const filters = {
  q: textFilter('Search', 'Start of email or name', /\S.*\S/),
  projectId: projectFilter(),
  emailVerified: choiceFilter('Verification', { true: 'Verified', false: 'Not verified' }),
  disabled: choiceFilter('Status', { false: 'Active', true: 'Disabled' }),
  locked: choiceFilter('Lock', { true: 'Locked' }),
  created: timeFilter('Created', 'createdAfter', 'createdBefore'),
  login: timeFilter('Last sign-in', 'lastLoginAfter', 'lastLoginBefore'),
  externalId: textFilter('External ID', 'External ID'),
};

const columns: Column<Customer>[] = [
  {
    header: 'Email',
    primary: true,
    truncate: true,
    width: '32%',
    cell: (row) => <UntrustedText text={row.email} oneLine />,
  },
  {
    header: 'Name',
    truncate: true,
    width: '20%',
    cell: (row) => <UntrustedText text={fullName(row)} oneLine />,
  },
  {
    header: 'Project',
    truncate: true,
    width: '18%',
    wideOnly: true,
    cell: (row) => <ProjectName id={row.projectId} />,
  },
  { header: 'Status', cell: (row) => <CustomerState customer={row} /> },
  {
    header: 'Last sign-in',
    align: 'right',
    cell: (row) => <RelativeTime at={row.lastLoginAt} fallback="Never" />,
  },
  { header: 'Created', align: 'right', wideOnly: true, cell: (row) => <RelativeTime at={row.createdAt} /> },
];

export function CustomersScreen(): ReactNode {
  const list = useList({
    path: '/operator/v1/customers',
    count: '/operator/v1/customers/count',
    filters,
  });
  return (
    <Page title="Customers">
      <List
        list={list}
        noun="customers"
        columns={columns}
        href={(row) => `/customers/${row.id}`}
        empty={{
          title: 'No customers yet',
          text: 'Customers appear here when they register in an application, or are created or imported through the API.',
          action: (
            <Anchor component={Link} to="/projects">
              Open a project and create API keys
            </Anchor>
          ),
        }}
      />
    </Page>
  );
}
