import { Select } from '@mantine/core';
import { useRef, useState, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { api, data, type Schemas } from '../http/client';
import { useSend } from '../http/queries';
import { ActionDialog } from '../parts/action-dialog';
import { environments } from '../parts/environment-badge';
import { NamingInputs, unnamed } from '../parts/naming-inputs';
import { OrganizationSelect } from '../parts/record-select';
import { toastDone } from '../parts/toast';

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
  const [naming, setNaming] = useState(unnamed);
  const name = naming.name.trim();
  const [environment, setEnvironment] = useState('development');
  const create = useSend(
    () =>
      data(
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
      confirm="Create project"
      disabled={!owner || !name || !naming.slug}
      onConfirm={async () => {
        const { id } = await create.mutateAsync(undefined);
        toastDone('Project created. Next, create its API keys.');
        isMade.current = true;
        await navigate(`/projects/${id}?tab=keys`);
      }}
    >
      <OrganizationSelect
        labelled
        required
        placeholder="Select an organization"
        value={owner}
        onChange={setOwner}
        error={faults.organizationId}
      />
      <NamingInputs value={naming} onChange={setNaming} within="the organization" faults={faults} />
      <Select
        label="Environment"
        description="Cannot be changed later."
        allowDeselect={false}
        data={Object.entries(environments).map(([value, label]) => ({ value, label }))}
        value={environment}
        error={faults.environment}
        onChange={(chosen) => setEnvironment(chosen ?? 'development')}
      />
    </ActionDialog>
  );
}
