import { Button, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Can } from '../session/roles';
import { api, unwrap } from '../http/client';
import { useApiMutation } from '../http/queries';
import { ActionDialog } from '../components/action-dialog';
import { SecretDialog } from './secret-dialog';

/**
 * Renders a button that rotates the signing secret. The new secret is shown once. The previous one stays valid for 24
 * hours.
 */
export function RotateSecret({ endpointId }: { endpointId: string }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const rotate = useApiMutation(
    () =>
      unwrap(
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
        confirmLabel="Rotate secret"
        onConfirm={() => rotate.mutateAsync()}
      >
        <Text>
          A new secret is created and shown only once. For 24 hours every delivery is signed with both
          secrets, so you can update the receiver without an interruption. After that, only the new secret is
          used. This cannot be undone.
        </Text>
        <Text c="dimmed">
          If you rotate again within these 24 hours, the oldest secret expires immediately.
        </Text>
      </ActionDialog>
      <SecretDialog
        secret={rotate.data?.data.secret ?? null}
        title="New signing secret"
        onClose={rotate.reset}
      >
        <Text c="dimmed">For the next 24 hours, deliveries are also signed with the old secret.</Text>
      </SecretDialog>
    </Can>
  );
}
