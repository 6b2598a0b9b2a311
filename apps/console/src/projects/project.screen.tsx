import { Button, Group, Paper, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import { Can } from '../app/roles';
import { api, data } from '../http/client';
import { useGet, useSend } from '../http/queries';
import { Danger, DangerZone } from '../parts/danger-zone';
import { EnvironmentBadge } from '../parts/environment-badge';
import { Facts } from '../parts/facts';
import { ForeignText } from '../parts/foreign-text';
import { Id } from '../parts/id';
import { Loaded } from '../parts/loaded';
import { Page } from '../parts/page';
import { PageTabs } from '../parts/page-tabs';
import { OrganizationName } from '../parts/record-name';
import { RelativeTime } from '../parts/relative-time';
import { StatusBadge } from '../parts/status-badge';
import { toastDone } from '../parts/toast';
import { ApiKeys } from './api-keys';
import type { Project } from './project-form';
import { ProjectSettings } from './project-settings';

export function ProjectScreen(): ReactNode {
  const { id: projectId = '' } = useParams();
  const query = useGet('/operator/v1/projects/{projectId}', { path: { projectId } });
  const project = query.data;
  return (
    <Page
      title={project?.name ?? 'Project'}
      heading={
        project && (
          <Group gap="xs">
            <ForeignText text={project.name} />
            <EnvironmentBadge of={project.environment} />
            {project.archivedAt && <StatusBadge state="archived" />}
          </Group>
        )
      }
      back={{ to: '/projects', label: 'Projects' }}
      actions={project && <Elsewhere projectId={projectId} />}
    >
      <Loaded query={query}>
        {(found) => (
          <Stack key={found.id}>
            <ProjectFacts project={found} />
            <PageTabs
              label="Project sections"
              tabs={{
                settings: {
                  label: 'Settings',
                  panel: () => (
                    <Stack>
                      <ProjectSettings project={found} />
                      <ArchiveProject project={found} />
                    </Stack>
                  ),
                },
                keys: { label: 'API keys', panel: () => <ApiKeys project={found} /> },
              }}
            />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

/** What else belongs to the project. */
function Elsewhere({ projectId }: { projectId: string }): ReactNode {
  const places = {
    Customers: `/customers?projectId=${projectId}`,
    Endpoints: `/endpoints?project_id=${projectId}`,
    Deliveries: `/deliveries?project_id=${projectId}`,
  };
  return Object.entries(places).map(([label, to]) => (
    <Button key={label} component={Link} to={to} variant="default">
      {label}
    </Button>
  ));
}

function ProjectFacts({ project }: { project: Project }): ReactNode {
  return (
    <Paper>
      <Facts
        of={{
          ID: <Id id={project.id} />,
          Slug: <ForeignText text={project.slug} mono />,
          Organization: <OrganizationName id={project.organizationId} link />,
          Created: <RelativeTime at={project.createdAt} />,
          Updated: <RelativeTime at={project.updatedAt} />,
          ...(project.archivedAt && { Archived: <RelativeTime at={project.archivedAt} /> }),
        }}
      />
    </Paper>
  );
}

function ArchiveProject({ project }: { project: Project }): ReactNode {
  const archive = useSend(
    () =>
      data(
        api.POST('/operator/v1/projects/{projectId}/archive', {
          params: { path: { projectId: project.id } },
        }),
      ),
    '/operator/v1/projects',
  );
  if (project.archivedAt) return null;
  return (
    <Can role="admin">
      <DangerZone>
        <Danger
          title="Archive this project"
          about="The API keys of the project stop working immediately, its customers are signed out, and webhooks stop. The data is kept and stays readable. This cannot be undone."
          confirm="Archive project"
          typed={project.slug}
          onConfirm={async () => {
            await archive.mutateAsync(undefined);
            toastDone('Project archived');
          }}
        />
      </DangerZone>
    </Can>
  );
}
