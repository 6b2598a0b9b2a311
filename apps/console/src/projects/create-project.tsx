import { Select } from '@mantine/core';
import { useRef, useState, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { api, unwrap, type Schemas } from '../http/client';
import { useApiMutation } from '../http/queries';
import { ActionDialog } from '../parts/action-dialog';
import { environmentLabels } from '../parts/environment-badge';
import { NameAndSlugInputs, emptyNameAndSlug } from '../parts/name-and-slug-inputs';
import { OrganizationSelect } from '../parts/record-select';
import { toastSuccess } from '../parts/toast';

type Body = Schemas['CreateProjectRequest'];

interface CreateProjectProps {
  /** Whose it will be; "" is asked. */
  organizationId: string;
  onClose: () => void;
}

/** Asks whose it is, its name and what it is for, and leads to its keys. */
export function CreateProject({ organizationId, onClose }: CreateProjectProps): ReactNode {
  const navigate = useNavigate();
  const [owner, setOwner] = useState(organizationId);
  const [naming, setNaming] = useState(emptyNameAndSlug);
  const name = naming.name.trim();
  const [environment, setEnvironment] = useState('development');
  const create = useApiMutation(
    () =>
      unwrap(
        api.POST('/operator/v1/projects', {
          body: {
            organizationId: owner,
            name,
            slug: naming.slug,
            environment: environment as Body['environment'],
          },
        }),
      ),
    '/operator/v1/projects',
  );
  const faults = create.error?.fields ?? {};
  const isMade = useRef(false);
  return (
    <ActionDialog
      open
      // To close it would lead back to the list.
      onClose={() => isMade.current || onClose()}
      title="Create project"
      confirmLabel="Create project"
      disabled={!owner || !name || !naming.slug}
      onConfirm={async () => {
        const { id } = await create.mutateAsync(undefined);
        toastSuccess('Project created. Next, create its API keys.');
        isMade.current = true;
        await navigate(`/projects/${id}?tab=keys`);
      }}
    >
      <OrganizationSelect
        showLabel
        required
        placeholder="Select an organization"
        value={owner}
        onChange={setOwner}
        error={faults.organizationId}
      />
      <NameAndSlugInputs
        value={naming}
        onChange={setNaming}
        uniqueWithin="the organization"
        errors={faults}
      />
      <Select
        label="Environment"
        description="Cannot be changed later."
        allowDeselect={false}
        data={Object.entries(environmentLabels).map(([value, label]) => ({ value, label }))}
        value={environment}
        error={faults.environment}
        onChange={(chosen) => setEnvironment(chosen ?? 'development')}
      />
    </ActionDialog>
  );
}
