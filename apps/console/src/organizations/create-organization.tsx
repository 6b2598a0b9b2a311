import { Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { api, unwrap } from '../http/client';
import { useApiMutation } from '../http/queries';
import { ActionDialog } from '../components/action-dialog';
import { NameAndSlugInputs, emptyNameAndSlug } from '../components/name-and-slug-inputs';
import { toastSuccess } from '../components/toast';

/** Renders the dialog that creates an organization and then opens its screen. */
export function CreateOrganization({ onClose }: { onClose: () => void }): ReactNode {
  const navigate = useNavigate();
  const [nameAndSlug, setNameAndSlug] = useState(emptyNameAndSlug);
  const body = { name: nameAndSlug.name.trim(), slug: nameAndSlug.slug };
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
        value={nameAndSlug}
        onChange={setNameAndSlug}
        uniqueWithin="Gatehouse"
        errors={create.error?.fields ?? {}}
      />
      <Text c="dimmed">Next, create a project and its API keys in this organization.</Text>
    </ActionDialog>
  );
}
