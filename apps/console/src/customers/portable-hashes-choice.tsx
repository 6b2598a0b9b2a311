import { Checkbox } from '@mantine/core';
import type { ReactNode } from 'react';
import { api, type Schemas } from '../http/client';
import { useApiUpdate, useGet } from '../http/queries';

type Project = Schemas['ProjectResponse'];

/**
 * Renders the option for portable password hashes if the project has no customers yet. Once it has customers, the
 * option is available only in the project settings. Imported passwords are hashed again when the customers next sign
 * in.
 */
export function PortableHashesChoice({ projectId }: { projectId: string }): ReactNode {
  const enabled = projectId !== '';
  const { data: project } = useGet('/operator/v1/projects/{projectId}', { path: { projectId } }, { enabled });
  const { data: customers } = useGet(
    '/operator/v1/customers',
    { query: { projectId, limit: 1 } },
    { enabled },
  );
  return project && customers?.data.length === 0 && <PortableHashesCheckbox project={project} />;
}

function PortableHashesCheckbox({ project }: { project: Project }): ReactNode {
  const update = useApiUpdate(
    project,
    (passwordHashing: Project['settings']['passwordHashing'], header) =>
      api.PATCH('/operator/v1/projects/{projectId}', {
        params: { path: { projectId: project.id }, header },
        body: { settings: { passwordHashing } },
      }),
    '/operator/v1/projects',
  );
  return (
    <Checkbox
      label="Use portable password hashes in this project"
      description="Other systems can verify these hashes, so customers keep their passwords if you leave Gatehouse later. New passwords can be at most 72 bytes long, and anyone with a copy of the database can try to guess passwords. You can change this at any time in the project settings."
      disabled={update.isPending}
      checked={project.settings.passwordHashing === 'portable'}
      error={update.error?.detail}
      onChange={(event) => update.mutate(event.currentTarget.checked ? 'portable' : 'peppered')}
    />
  );
}
