import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { Can, useCan } from '../session/roles';
import type { Schemas } from '../http/client';
import { choiceFilter, projectFilter, textFilter, timeFilter, type ListQuery } from '../lists/filters';
import { List } from '../lists/list';
import type { Column } from '../lists/list-table';
import { useList } from '../lists/use-list';
import { UntrustedText } from '../components/untrusted-text';
import { Page } from '../components/page';
import { ProjectName } from '../components/record-name';
import { RelativeTime } from '../components/relative-time';
import { Icon } from '../components/icon';
import { useUrlDialog } from '../components/use-url-dialog';
import { BulkAccessDialog, type AccessChange } from './bulk-access';
import { CreateCustomer } from './create-customer';
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

const OTHER_PARAMS = ['create'] as const;

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
  { header: 'Status', status: true, cell: (row) => <CustomerState customer={row} /> },
  {
    header: 'Last sign-in',
    align: 'right',
    cell: (row) => <RelativeTime at={row.lastLoginAt} fallback="Never" />,
  },
  { header: 'Created', align: 'right', wideOnly: true, cell: (row) => <RelativeTime at={row.createdAt} /> },
];

export function CustomersScreen(): ReactNode {
  const list = useList({
    name: 'customers',
    path: '/operator/v1/customers',
    count: '/operator/v1/customers/count',
    filters,
    otherParams: OTHER_PARAMS,
  });
  const canAct = useCan('operator');
  const canCreate = useCan('admin');
  const creation = useUrlDialog('create');
  const [change, setChange] = useState<AccessChange | null>(null);
  const createButton = (
    <Can role="admin">
      <Button leftSection={<Icon name="plus" />} onClick={creation.open}>
        Create customer
      </Button>
    </Can>
  );
  return (
    <Page
      title="Customers"
      actions={
        <>
          <ExportButton query={list.query()} isDisabled={list.filterError !== null} />
          <Can role="admin">
            <Button component={Link} to="/customers/import" variant="default">
              Import
            </Button>
          </Can>
          {createButton}
        </>
      }
    >
      <List
        list={list}
        noun="customers"
        columns={columns}
        href={(row) => `/customers/${row.id}`}
        isSelectable={canAct ? () => true : undefined}
        actions={(rows) => <AccessButtons customers={rows} onSelect={setChange} />}
        empty={{
          title: 'No customers yet',
          text: 'Customers appear here when they register in an application, or are created or imported.',
          action: createButton,
        }}
      />
      {canCreate && creation.isOpen && (
        <CreateCustomer projectId={list.values.projectId ?? ''} onClose={creation.close} />
      )}
      <BulkAccessDialog
        change={change}
        onClose={() => setChange(null)}
        onDone={(customers) => list.select(customers, false)}
      />
    </Page>
  );
}

/** Renders a link that downloads the customers that match the filters. */
function ExportButton({ query, isDisabled }: { query: ListQuery; isDisabled: boolean }): ReactNode {
  return (
    <Can role="operator">
      <Button
        component="a"
        href={
          isDisabled ? undefined : `/operator/v1/customers/export?${new URLSearchParams(query).toString()}`
        }
        download="customers.csv"
        title="Contains all customers that match the filters, at most 1,000,000"
        variant="default"
        leftSection={<Icon name="download" />}
        disabled={isDisabled}
      >
        Export CSV
      </Button>
    </Can>
  );
}

/** Renders a button for each change that applies to at least one selected customer. */
function AccessButtons({
  customers,
  onSelect,
}: {
  customers: Customer[];
  onSelect: (change: AccessChange) => void;
}): ReactNode {
  const changes = {
    Disable: { verb: 'disable', customers: customers.filter(({ disabledAt }) => !disabledAt) },
    Enable: { verb: 'enable', customers: customers.filter(({ disabledAt }) => disabledAt) },
  } as const;
  return Object.entries(changes).map(
    ([label, change]) =>
      change.customers.length > 0 && (
        <Button key={label} size="xs" variant="default" onClick={() => onSelect(change)}>
          {label} {change.customers.length}
        </Button>
      ),
  );
}
