import { Button, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Can } from '../session/roles';
import { api, unwrap, type Schemas } from '../http/client';
import { useApiMutation } from '../http/queries';
import { ActionDialog } from '../components/action-dialog';
import { Icon } from '../components/icon';
import { toastSuccess } from '../components/toast';

/** Renders a button that disables or enables an endpoint. A dialog describes the effects first. */
export function EndpointSwitch({ endpoint }: { endpoint: Schemas['EndpointResponse'] }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const isEnabled = endpoint.status === 'enabled';
  const params = { params: { path: { endpointId: endpoint.id } } };
  const toggle = useApiMutation(
    () =>
      unwrap(
        isEnabled
          ? api.POST('/operator/v1/webhooks/endpoints/{endpointId}/disable', params)
          : api.POST('/operator/v1/webhooks/endpoints/{endpointId}/enable', params),
      ),
    '/operator/v1/webhooks/',
    '/operator/v1/audit-log',
  );
  const submit = async (): Promise<void> => {
    await toggle.mutateAsync();
    toastSuccess(
      isEnabled
        ? 'Endpoint disabled'
        : 'Endpoint enabled. Use “Recover events” to deliver the events it missed.',
    );
  };
  return (
    <Can role="operator">
      <Button
        variant="default"
        leftSection={<Icon name={isEnabled ? 'pause' : 'play'} />}
        onClick={() => setOpen(true)}
      >
        {isEnabled ? 'Disable' : 'Enable'}
      </Button>
      <ActionDialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title={isEnabled ? 'Disable this endpoint?' : 'Enable this endpoint?'}
        confirmLabel={isEnabled ? 'Disable' : 'Enable'}
        danger={isEnabled}
        onConfirm={submit}
      >
        {isEnabled ? (
          <>
            <Text>
              No further events are delivered to this endpoint, and its pending deliveries are canceled.
              Events that occur while it is disabled are not queued.
            </Text>
            <Text>
              You can enable the endpoint again at any time. Then use “Recover events” to deliver missed
              events, unless retention has deleted them.
            </Text>
          </>
        ) : (
          <>
            <Text>
              The endpoint receives deliveries again, starting with the next event. You can disable it again
              at any time.
            </Text>
            <Text>Missed events are not delivered automatically. Use “Recover events” to deliver them.</Text>
          </>
        )}
      </ActionDialog>
    </Can>
  );
}
