import { Button, Paper, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import { Can } from '../session/roles';
import type { Schemas } from '../http/client';
import { useGet } from '../http/queries';
import { List } from '../lists/list';
import type { Column } from '../lists/list-table';
import { useList } from '../lists/use-list';
import { EnvironmentBadge } from '../projects/environment-badge';
import { PropertyList } from '../components/property-list';
import { UntrustedText } from '../components/untrusted-text';
import { Icon } from '../components/icon';
import { Id } from '../components/id';
import { QueryContent } from '../components/query-content';
import { Page } from '../components/page';
import { OrganizationName } from '../components/record-name';
import { RelativeTime } from '../components/relative-time';
import { StatusBadge } from '../components/status-badge';
import { OrganizationSettings } from './organization-settings';

type Project = Schemas['ProjectResponse'];

export function OrganizationScreen(): ReactNode {
  const { id: organizationId = '' } = useParams();
  const query = useGet('/operator/v1/organizations/{organizationId}', { path: { organizationId } });
  return (
    <Page
      title={query.data?.name ?? 'Organization'}
      heading={query.data && <UntrustedText text={query.data.name} />}
      back={{ to: '/organizations', label: 'Organizations' }}
    >
      <QueryContent query={query}>
        {(organization) => (
          <Stack gap="lg">
            <Paper>
              <PropertyList
                items={{
                  ID: <Id id={organization.id} />,
                  Slug: <UntrustedText text={organization.slug} mono />,
                  'Created by': <OrganizationName id={organization.parentId} link fallback="Gatehouse" />,
                  Created: <RelativeTime at={organization.createdAt} />,
                  Updated: <RelativeTime at={organization.updatedAt} />,
                }}
              />
            </Paper>
            <section aria-label="Projects">
              <Title order={2}>Projects</Title>
              <OrganizationProjects organizationId={organizationId} />
            </section>
            <OrganizationSettings organization={organization} />
          </Stack>
        )}
      </QueryContent>
    </Page>
  );
}

const columns: Column<Project>[] = [
  { header: 'Name', primary: true, cell: (row) => <UntrustedText text={row.name} /> },
  { header: 'Slug', cell: (row) => <UntrustedText text={row.slug} mono /> },
  { header: 'Environment', cell: (row) => <EnvironmentBadge environment={row.environment} /> },
  { header: 'Status', cell: (row) => <StatusBadge state={row.archivedAt ? 'archived' : 'active'} /> },
  { header: 'Created', align: 'right', cell: (row) => <RelativeTime at={row.createdAt} /> },
];

function OrganizationProjects({ organizationId }: { organizationId: string }): ReactNode {
  const list = useList({
    path: '/operator/v1/projects',
    count: '/operator/v1/projects/count',
    fixedQuery: { organizationId },
  });
  const createButton = (
    <Can role="admin">
      <Button
        component={Link}
        to={`/projects?create=${organizationId}`}
        variant="default"
        size="xs"
        leftSection={<Icon name="plus" size={14} />}
      >
        Create project
      </Button>
    </Can>
  );
  return (
    <List
      list={list}
      noun="projects"
      columns={columns}
      href={(row) => `/projects/${row.id}`}
      toolbar={list.rows.length > 0 && createButton}
      empty={{
        title: 'No projects yet',
        text: 'Each project has its own customers, API keys and webhook endpoints.',
        action: createButton,
      }}
    />
  );
}
