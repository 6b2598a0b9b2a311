import { Button, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Can } from '../app/roles';
import { api, data } from '../http/client';
import { useSend } from '../http/queries';
import { ActionDialog } from '../parts/action-dialog';
import { SecretDialog } from './secret-dialog';

/** A new signing secret, which is shown once; the one before goes on for a day. */
export function RotateSecret({ endpointId }: { endpointId: string }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const rotate = useSend(
    () =>
      data(
        api.POST('/operator/v1/webhooks/endpoints/{endpointId}/rotate-secret', {
          params: { path: { endpointId } },
        }),
      ),
    '/operator/v1/webhooks/endpoints',
    '/operator/v1/audit-log',
  );
  return (
    <Can role="admin">
      <Button variant="default" size="xs" onClick={() => setOpen(true)}>
        Rotate secret
      </Button>
      <ActionDialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title="Rotate the signing secret?"
        confirm="Rotate secret"
        onConfirm={() => rotate.mutateAsync()}
      >
        <Text>
          A new secret is made and shown once. For 24 hours every delivery is signed with both, so that the
          receiver can change over in its own time; then only the new one holds.
        </Text>
        <Text c="dimmed">Rotating again within these 24 hours ends the oldest secret at once.</Text>
      </ActionDialog>
      <SecretDialog
        secret={rotate.data?.data.secret ?? null}
        title="The new signing secret"
        onClose={rotate.reset}
      >
        <Text c="dimmed">Deliveries are signed with the old one too for the next 24 hours.</Text>
      </SecretDialog>
    </Can>
  );
}
