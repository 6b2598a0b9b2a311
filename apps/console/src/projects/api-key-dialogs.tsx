import { Select, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { api, unwrap } from '../http/client';
import { useApiMutation } from '../http/queries';
import { ActionDialog } from '../components/action-dialog';
import { UntrustedText } from '../components/untrusted-text';
import { RelativeTime } from '../components/relative-time';
import { toastSuccess } from '../components/toast';
import { maskKey, type ApiKey, type CreatedKey } from './api-key';

const INVALIDATED_PATHS = ['/operator/v1/projects/{projectId}/api-keys', '/operator/v1/audit-log'];

interface KeyDialogProps {
  apiKey: ApiKey;
  onClose: () => void;
}

/** The overlap during which the old key remains valid, in seconds. */
const overlapOptions = [
  { value: '0', label: 'None: the old key expires immediately' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
];

/** Renders the dialog that creates a replacement for a key. Both keys are valid during the overlap. */
export function RotateKey({
  apiKey: key,
  onClose,
  onCreated,
}: KeyDialogProps & { onCreated: (key: CreatedKey) => void }): ReactNode {
  const [overlap, setOverlap] = useState('86400');
  const rotate = useApiMutation(
    () =>
      unwrap(
        api.POST('/operator/v1/projects/{projectId}/api-keys/{keyId}/rotate', {
          params: { path: { projectId: key.projectId, keyId: key.id } },
          body: { overlapSeconds: Number(overlap) },
        }),
      ),
    ...INVALIDATED_PATHS,
  );
  return (
    <ActionDialog
      open
      onClose={onClose}
      title="Rotate this key?"
      confirmLabel="Rotate key"
      onConfirm={async () => onCreated(await rotate.mutateAsync(undefined))}
    >
      <KeyName apiKey={key} />
      <Text>
        A new key with the same scopes replaces this key. Its value is shown only once. This cannot be undone.
      </Text>
      <Select
        label="Overlap"
        description="How long the old key stays valid. Allow enough time to replace it everywhere."
        data={overlapOptions}
        allowDeselect={false}
        value={overlap}
        onChange={(seconds) => setOverlap(seconds ?? '86400')}
      />
    </ActionDialog>
  );
}

/** Renders the dialog that permanently revokes a key. */
export function RevokeKey({ apiKey: key, onClose }: KeyDialogProps): ReactNode {
  const revoke = useApiMutation(
    () =>
      unwrap(
        api.DELETE('/operator/v1/projects/{projectId}/api-keys/{keyId}', {
          params: { path: { projectId: key.projectId, keyId: key.id } },
        }),
      ),
    ...INVALIDATED_PATHS,
  );
  return (
    <ActionDialog
      open
      onClose={onClose}
      title="Revoke this key?"
      confirmLabel="Revoke key"
      danger
      onConfirm={async () => {
        await revoke.mutateAsync(undefined);
        toastSuccess('API key revoked');
      }}
    >
      <KeyName apiKey={key} />
      <Text>
        Requests with this key are rejected within one second. This cannot be undone. To replace a key without
        an interruption, rotate it instead.
      </Text>
      {key.lastUsedAt && (
        <Text>
          Last used <RelativeTime at={key.lastUsedAt} />
        </Text>
      )}
    </ActionDialog>
  );
}

function KeyName({ apiKey: key }: { apiKey: ApiKey }): ReactNode {
  return (
    <Text fw={600}>
      <UntrustedText text={key.name} /> <UntrustedText text={maskKey(key)} mono />
    </Text>
  );
}
