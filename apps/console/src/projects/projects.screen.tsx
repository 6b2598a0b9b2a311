import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { Can, useCan } from '../session/roles';
import type { Schemas } from '../http/client';
import { choiceFilter, organizationFilter, textFilter, viewFilter } from '../lists/filters';
import { List } from '../lists/list';
import type { Column } from '../lists/list-table';
import { useList } from '../lists/use-list';
import { EnvironmentBadge, environmentLabels } from './environment-badge';
import { UntrustedText } from '../components/untrusted-text';
import { Icon } from '../components/icon';
import { Page } from '../components/page';
import { OrganizationName } from '../components/record-name';
import { RelativeTime } from '../components/relative-time';
import { useUrlDialog } from '../components/use-url-dialog';
import { ChooseKeyProject } from './choose-key-project';
import { CreateProject } from './create-project';

type Project = Schemas['ProjectResponse'];

const filters = {
  archived: viewFilter('Status', { false: 'Active', true: 'Archived' }, 'false'),
  q: textFilter('Search', 'Part of name or slug, or ID', /\S/),
  organizationId: organizationFilter(),
  environment: choiceFilter('Environment', environmentLabels),
};

const OTHER_PARAMS = ['create', 'create-key'];

const columns: Column<Project>[] = [
  { header: 'Name', primary: true, cell: (row) => <UntrustedText text={row.name} /> },
  { header: 'Environment', cell: (row) => <EnvironmentBadge environment={row.environment} /> },
  { header: 'Organization', cell: (row) => <OrganizationName id={row.organizationId} link /> },
  { header: 'Slug', wideOnly: true, cell: (row) => <UntrustedText text={row.slug} mono /> },
  { header: 'Created', align: 'right', cell: (row) => <RelativeTime at={row.createdAt} /> },
];

const archivedColumn: Column<Project> = {
  header: 'Archived',
  align: 'right',
  cell: (row) => <RelativeTime at={row.archivedAt} />,
};

/**
 * The project list. `?create=` opens the form, with the given organization selected. `?create-key=` opens the project
 * select for a new API key.
 */
export function ProjectsScreen(): ReactNode {
  const [search, setSearch] = useSearchParams();
  const canCreate = useCan('admin');
  const keyDialog = useUrlDialog('create-key');
  const list = useList({
    name: 'projects',
    path: '/operator/v1/projects',
    count: '/operator/v1/projects/count',
    filters,
    otherParams: OTHER_PARAMS,
  });
  const isArchive = list.values.archived === 'true';
  const setCreate = (organizationId: string | null): void =>
    setSearch((before) => {
      const after = new URLSearchParams(before);
      if (organizationId === null) after.delete('create');
      else after.set('create', organizationId);
      return after;
    });
  const createButton = (
    <Can role="admin">
      <Button leftSection={<Icon name="plus" />} onClick={() => setCreate(list.values.organizationId ?? '')}>
        Create project
      </Button>
    </Can>
  );
  return (
    <Page
      title="Projects"
      description="Each project is an isolated environment with its own customers, API keys, webhook endpoints and settings."
      actions={createButton}
    >
      <List
        list={list}
        noun="projects"
        columns={isArchive ? [...columns, archivedColumn] : columns}
        href={(row) => `/projects/${row.id}`}
        empty={
          isArchive
            ? {
                title: 'No archived projects',
                text: 'Archived projects appear here. Their data is not deleted.',
              }
            : {
                title: 'No projects yet',
                text: 'Create a project, then a secret key for your server and a publishable key for your web pages.',
                action: createButton,
              }
        }
      />
      {canCreate && search.has('create') && (
        <CreateProject organizationId={search.get('create') ?? ''} onClose={() => setCreate(null)} />
      )}
      {canCreate && keyDialog.isOpen && <ChooseKeyProject onClose={keyDialog.close} />}
    </Page>
  );
}
