import { Button, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { SecondFactorNotice } from '../session/second-factor-notice';
import { useSession } from '../session/session';
import { api, type Schemas } from '../http/client';
import { useApiMutation, useApiUpdate } from '../http/queries';
import { ActionDialog } from '../components/action-dialog';
import { DangerAction, DangerZone } from '../components/danger-zone';
import { Icon } from '../components/icon';
import { isStale, SavedChanges, saveLabel } from '../components/saved-changes';
import { toastSuccess } from '../components/toast';
import { useEdits } from '../components/use-edits';
import { providerLabels, toProviderBody, toProviderFields } from './provider-fields';
import { ProviderForm } from './provider-form';
import type { Provider } from './provider-types';

const PATH = '/operator/v1/projects/{projectId}/identity-providers/{providerId}';

/** Returns the parameters for a provider's routes. */
export const providerParams = ({ projectId, id }: Provider) => ({ path: { projectId, providerId: id } });

/** Returns the mutation that updates a provider. */
export const useUpdate = (provider: Provider) =>
  useApiUpdate(
    provider,
    (body: Schemas['UpdateIdentityProviderRequest'], header) =>
      api.PATCH(PATH, { params: { ...providerParams(provider), header }, body }),
    '/operator/v1/projects',
  );

/** Renders a button that opens the form for a provider. */
export function EditProvider({ provider }: { provider: Provider }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setOpen(true)}>
        Edit
      </Button>
      {isOpen && <EditDialog provider={provider} onClose={() => setOpen(false)} />}
    </>
  );
}

function EditDialog({ provider, onClose }: { provider: Provider; onClose: () => void }): ReactNode {
  const { hasSecondFactor } = useSession();
  const edits = useEdits(toProviderFields(provider));
  const update = useUpdate(provider);
  return (
    <ActionDialog
      open
      size="lg"
      onClose={onClose}
      title="Edit identity provider"
      confirmLabel={saveLabel(edits)}
      hidesError={isStale}
      disabled={!hasSecondFactor}
      onConfirm={async () => {
        const body = Object.entries(toProviderBody(provider, edits.values));
        await update.mutateAsync(Object.fromEntries(body.filter(([name]) => name in edits.changed)));
        toastSuccess('Identity provider updated');
      }}
    >
      <SecondFactorNotice />
      <ProviderForm
        type={provider.type}
        issuer={provider.issuer}
        value={edits.values}
        onChange={edits.set}
        errors={update.error?.fields ?? {}}
        isExisting
      />
      <SavedChanges edits={edits} labels={providerLabels(provider.type)} problem={update.error} />
    </ActionDialog>
  );
}

/** Renders a button that disables or enables a provider. A dialog describes the effects first. */
export function ProviderSwitch({ provider }: { provider: Provider }): ReactNode {
  const { hasSecondFactor } = useSession();
  const [isOpen, setOpen] = useState(false);
  const { enabled } = provider;
  const update = useUpdate(provider);
  const label = enabled ? 'Disable' : 'Enable';
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name={enabled ? 'pause' : 'play'} />}
        onClick={() => setOpen(true)}
      >
        {label}
      </Button>
      <ActionDialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title={`${label} this provider?`}
        confirmLabel={label}
        danger={enabled}
        disabled={!hasSecondFactor}
        onConfirm={async () => {
          await update.mutateAsync({ enabled: !enabled });
          toastSuccess(enabled ? 'Identity provider disabled' : 'Identity provider enabled');
        }}
      >
        <SecondFactorNotice />
        <Text>
          {enabled
            ? 'Customers can no longer sign in with this provider. Their identities and sessions are kept. You can enable it again at any time.'
            : 'Sign-in pages offer this provider to customers. You can disable it again at any time.'}
        </Text>
      </ActionDialog>
    </>
  );
}

/** Renders the section that deletes a provider. */
export function DeleteProvider({ provider }: { provider: Provider }): ReactNode {
  const navigate = useNavigate();
  const remove = useApiMutation(
    () =>
      api
        .DELETE(PATH, { params: providerParams(provider) })
        .then(() => navigate(`/projects/${provider.projectId}?tab=providers`)),
    '/operator/v1/audit-log',
  );
  return (
    <DangerZone>
      <DangerAction
        title="Delete this provider"
        description="You can delete this provider only while no customer has an identity with it. Otherwise, disable the provider. Deletion cannot be undone."
        confirmLabel="Delete provider"
        confirmationText={provider.slug}
        onConfirm={async () => {
          await remove.mutateAsync();
          toastSuccess('Identity provider deleted');
        }}
      />
    </DangerZone>
  );
}
