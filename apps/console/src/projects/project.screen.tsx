import { Button, Group, Paper, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import { Can } from '../session/roles';
import { api, unwrap } from '../http/client';
import { useGet, useApiMutation } from '../http/queries';
import { DangerAction, DangerZone } from '../components/danger-zone';
import { EnvironmentBadge } from './environment-badge';
import { PropertyList } from '../components/property-list';
import { UntrustedText } from '../components/untrusted-text';
import { Id } from '../components/id';
import { QueryContent } from '../components/query-content';
import { Page } from '../components/page';
import { PageTabs } from '../components/page-tabs';
import { OrganizationName } from '../components/record-name';
import { RelativeTime } from '../components/relative-time';
import { StatusBadge } from '../components/status-badge';
import { toastSuccess } from '../components/toast';
import { ApiKeys } from './api-keys';
import { IdentityProviders } from './identity-providers';
import { MailTemplates } from './mail-templates';
import type { Project } from './use-project-form';
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
            <UntrustedText text={project.name} />
            <EnvironmentBadge environment={project.environment} />
            {project.archivedAt && <StatusBadge state="archived" />}
          </Group>
        )
      }
      back={{ to: '/projects', label: 'Projects' }}
      actions={project && <RelatedLinks projectId={projectId} />}
    >
      <QueryContent query={query}>
        {(found) => (
          <Stack key={found.id}>
            <ProjectDetails project={found} />
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
                providers: {
                  label: 'Identity providers',
                  panel: () => <IdentityProviders project={found} />,
                },
                templates: { label: 'Email templates', panel: () => <MailTemplates project={found} /> },
                keys: { label: 'API keys', panel: () => <ApiKeys project={found} /> },
              }}
            />
          </Stack>
        )}
      </QueryContent>
    </Page>
  );
}

/** Renders links to the project's customers, endpoints and deliveries. */
function RelatedLinks({ projectId }: { projectId: string }): ReactNode {
  const links = {
    Customers: `/customers?projectId=${projectId}`,
    Endpoints: `/endpoints?project_id=${projectId}`,
    Deliveries: `/deliveries?project_id=${projectId}`,
  };
  return Object.entries(links).map(([label, to]) => (
    <Button key={label} component={Link} to={to} variant="default">
      {label}
    </Button>
  ));
}

function ProjectDetails({ project }: { project: Project }): ReactNode {
  return (
    <Paper>
      <PropertyList
        items={{
          ID: <Id id={project.id} />,
          Slug: <UntrustedText text={project.slug} mono />,
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
  const archive = useApiMutation(
    () =>
      unwrap(
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
        <DangerAction
          title="Archive this project"
          description="The API keys of the project will stop working immediately, and its customers will be signed out. Webhooks for earlier events will still be delivered, unless you disable the endpoints. The project’s data will not be deleted and can still be viewed. This cannot be undone."
          confirmLabel="Archive project"
          confirmationText={project.slug}
          onConfirm={async () => {
            await archive.mutateAsync(undefined);
            toastSuccess('Project archived');
          }}
        />
      </DangerZone>
    </Can>
  );
}
