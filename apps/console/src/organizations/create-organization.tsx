import { Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { api, unwrap } from '../http/client';
import { useApiMutation } from '../http/queries';
import { ActionDialog } from '../parts/action-dialog';
import { NameAndSlugInputs, emptyNameAndSlug } from '../parts/name-and-slug-inputs';
import { toastSuccess } from '../parts/toast';

/** Asks for a name and a slug, and leads to what was made of them. */
export function CreateOrganization({ onClose }: { onClose: () => void }): ReactNode {
  const navigate = useNavigate();
  const [naming, setNaming] = useState(emptyNameAndSlug);
  const body = { name: naming.name.trim(), slug: naming.slug };
  const create = useApiMutation(
    () => unwrap(api.POST('/operator/v1/organizations', { body })),
    '/operator/v1/organizations',
  );
  return (
    <ActionDialog
      open
      onClose={onClose}
      title="Create organization"
      confirmLabel="Create organization"
      disabled={!body.name || !body.slug}
      onConfirm={async () => {
        const { id } = await create.mutateAsync(undefined);
        toastSuccess('Organization created');
        await navigate(`/organizations/${id}`);
      }}
    >
      <NameAndSlugInputs
        value={naming}
        onChange={setNaming}
        uniqueWithin="Gatehouse"
        errors={create.error?.fields ?? {}}
      />
      <Text c="dimmed">Next, create a project and its API keys in this organization.</Text>
    </ActionDialog>
  );
}
