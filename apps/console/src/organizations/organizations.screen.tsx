import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useCan, useHasInstallationAccess } from '../session/roles';
import type { Schemas } from '../http/client';
import { textFilter } from '../lists/filters';
import { List } from '../lists/list';
import type { Column } from '../lists/list-table';
import { useList } from '../lists/use-list';
import { UntrustedText } from '../components/untrusted-text';
import { Icon } from '../components/icon';
import { Page } from '../components/page';
import { OrganizationName } from '../components/record-name';
import { RelativeTime } from '../components/relative-time';
import { useUrlDialog } from '../components/use-url-dialog';
import { CreateOrganization } from './create-organization';

type Organization = Schemas['OrganizationResponse'];

const filters = { q: textFilter('Search', 'Start of name or slug, or ID', /\S/) };

const columns: Column<Organization>[] = [
  { header: 'Name', primary: true, cell: (row) => <UntrustedText text={row.name} /> },
  { header: 'Slug', cell: (row) => <UntrustedText text={row.slug} mono /> },
  { header: 'Created by', cell: (row) => <OrganizationName id={row.parentId} link fallback="Gatehouse" /> },
  { header: 'Created', align: 'right', cell: (row) => <RelativeTime at={row.createdAt} /> },
];

const OTHER_PARAMS = ['create'];

/** The organization list. `?create=` opens the form. */
export function OrganizationsScreen(): ReactNode {
  const isAdmin = useCan('admin');
  const canCreate = useHasInstallationAccess() && isAdmin;
  const create = useUrlDialog('create');
  const list = useList({
    name: 'organizations',
    path: '/operator/v1/organizations',
    count: '/operator/v1/organizations/count',
    filters,
    otherParams: OTHER_PARAMS,
  });
  const createButton = canCreate && (
    <Button leftSection={<Icon name="plus" />} onClick={create.open}>
      Create organization
    </Button>
  );
  return (
    <Page
      title="Organizations"
      description="Companies that run applications on Gatehouse. Each organization owns projects and pays for them."
      actions={createButton}
    >
      <List
        list={list}
        noun="organizations"
        columns={columns}
        href={(row) => `/organizations/${row.id}`}
        empty={{
          title: 'No organizations yet',
          text: 'Create an organization first. It owns the projects, and each project has its own customers.',
          action: createButton,
        }}
      />
      {canCreate && create.isOpen && <CreateOrganization onClose={create.close} />}
    </Page>
  );
}
