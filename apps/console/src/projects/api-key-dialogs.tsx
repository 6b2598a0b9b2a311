import { Code, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { api, data } from '../http/client';
import { useSend } from '../http/queries';
import { ActionDialog } from '../parts/action-dialog';
import { Facts } from '../parts/facts';
import { ForeignText } from '../parts/foreign-text';
import { Id } from '../parts/id';
import { RelativeTime } from '../parts/relative-time';
import { StatusBadge } from '../parts/status-badge';
import { toastDone } from '../parts/toast';
import { maskOf, scopesInWords, stateOf, type ApiKey, type CreatedKey } from './api-key';

const REFRESHED = '/operator/v1/projects/{projectId}/api-keys';

interface KeyDialogProps {
  of: ApiKey;
  onClose: () => void;
}

/** Seconds that the old key lives on. */
const overlaps = [
  { value: '0', label: 'None: the old key expires immediately' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
];

/** Makes a new key in the place of one, and lets both live for a while. */
export function RotateKey({
  of: key,
  onClose,
  onMade,
}: KeyDialogProps & { onMade: (made: CreatedKey) => void }): ReactNode {
  const [overlap, setOverlap] = useState('86400');
  const rotate = useSend(
    () =>
      data(
        api.POST('/operator/v1/projects/{projectId}/api-keys/{keyId}/rotate', {
          params: { path: { projectId: key.projectId, keyId: key.id } },
          body: { overlapSeconds: Number(overlap) },
        }),
      ),
    REFRESHED,
  );
  return (
    <ActionDialog
      open
      onClose={onClose}
      title="Rotate this key?"
      confirm="Rotate key"
      onConfirm={async () => onMade(await rotate.mutateAsync(undefined))}
    >
      <KeyName of={key} />
      <Text>
        A new key with the same scopes replaces this key. Its value is shown only once. This cannot be undone.
      </Text>
      <Select
        label="Overlap"
        description="How long the old key stays valid. Allow enough time to replace it everywhere."
        data={overlaps}
        allowDeselect={false}
        value={overlap}
        onChange={(seconds) => setOverlap(seconds ?? '86400')}
      />
    </ActionDialog>
  );
}

/** Ends a key for good. */
export function RevokeKey({ of: key, onClose }: KeyDialogProps): ReactNode {
  const revoke = useSend(
    () =>
      data(
        api.DELETE('/operator/v1/projects/{projectId}/api-keys/{keyId}', {
          params: { path: { projectId: key.projectId, keyId: key.id } },
        }),
      ),
    REFRESHED,
  );
  return (
    <ActionDialog
      open
      onClose={onClose}
      title="Revoke this key?"
      confirm="Revoke key"
      danger
      onConfirm={async () => {
        await revoke.mutateAsync(undefined);
        toastDone('API key revoked');
      }}
    >
      <KeyName of={key} />
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

function KeyName({ of: key }: { of: ApiKey }): ReactNode {
  return (
    <Text fw={600}>
      <ForeignText text={key.name} /> <ForeignText text={maskOf(key)} mono />
    </Text>
  );
}

/** Everything that is known of a key. */
export function KeyDetails({ of: key, onClose }: KeyDialogProps): ReactNode {
  return (
    <Modal opened onClose={onClose} title="API key" size="lg">
      <Stack>
        <Facts
          of={{
            Name: <ForeignText text={key.name} />,
            Status: <StatusBadge state={stateOf(key)} />,
            Value: <ForeignText text={maskOf(key)} mono />,
            ID: <Id id={key.id} short />,
            Type: key.type === 'secret' ? 'Secret' : 'Publishable',
            Access: key.access === 'organization' ? 'All projects of the organization' : 'This project',
            Created: <RelativeTime at={key.createdAt} />,
            'Last used': <RelativeTime at={key.lastUsedAt} none="Never" />,
            Expires: <RelativeTime at={key.expiresAt} none="Never" />,
            ...(key.revokedAt && { Revoked: <RelativeTime at={key.revokedAt} /> }),
            ...(key.rotatedFrom && { Replaces: <Id id={key.rotatedFrom} short /> }),
          }}
        />
        <div>
          <Text size="xs" c="dimmed" mb={4}>
            Scopes
          </Text>
          <Group gap={6}>
            {key.scopes.length === 0
              ? scopesInWords(key)
              : key.scopes.map((scope) => <Code key={scope}>{scope}</Code>)}
          </Group>
        </div>
      </Stack>
    </Modal>
  );
}
