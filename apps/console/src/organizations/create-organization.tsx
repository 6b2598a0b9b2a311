import { Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { api, data } from '../http/client';
import { useSend } from '../http/queries';
import { ActionDialog } from '../parts/action-dialog';
import { NamingInputs, unnamed } from '../parts/naming-inputs';
import { toastDone } from '../parts/toast';

/** Asks for a name and a slug, and leads to what was made of them. */
export function CreateOrganization({ onClose }: { onClose: () => void }): ReactNode {
  const navigate = useNavigate();
  const [naming, setNaming] = useState(unnamed);
  const body = { name: naming.name.trim(), slug: naming.slug };
  const create = useSend(
    () => data(api.POST('/operator/v1/organizations', { body })),
    '/operator/v1/organizations',
  );
  return (
    <ActionDialog
      open
      onClose={onClose}
      title="Create organization"
      confirm="Create organization"
      disabled={!body.name || !body.slug}
      onConfirm={async () => {
        const { id } = await create.mutateAsync(undefined);
        toastDone('Organization created');
        await navigate(`/organizations/${id}`);
      }}
    >
      <NamingInputs
        value={naming}
        onChange={setNaming}
        within="Gatehouse"
        faults={create.error?.fields ?? {}}
      />
      <Text c="dimmed">Next, create a project and its API keys in this organization.</Text>
    </ActionDialog>
  );
}
