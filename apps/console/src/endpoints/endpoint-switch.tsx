import { Button, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Can } from '../app/roles';
import { api, data, type Schemas } from '../http/client';
import { useSend } from '../http/queries';
import { ActionDialog } from '../parts/action-dialog';
import { Icon } from '../parts/icon';
import { toastDone } from '../parts/toast';

/** Disables an endpoint, or enables it again; both say first what will happen. */
export function EndpointSwitch({ endpoint }: { endpoint: Schemas['EndpointResponse'] }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const isEnabled = endpoint.status === 'enabled';
  const params = { params: { path: { endpointId: endpoint.id } } };
  const turn = useSend(
    () =>
      data(
        isEnabled
          ? api.POST('/operator/v1/webhooks/endpoints/{endpointId}/disable', params)
          : api.POST('/operator/v1/webhooks/endpoints/{endpointId}/enable', params),
      ),
    '/operator/v1/webhooks/',
    '/operator/v1/audit-log',
  );
  const submit = async (): Promise<void> => {
    await turn.mutateAsync();
    toastDone(
      isEnabled ? 'Disabled. Nothing more is delivered.' : 'Enabled. “Recover” brings what it missed.',
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
        confirm={isEnabled ? 'Disable' : 'Enable'}
        danger={isEnabled}
        onConfirm={submit}
      >
        {isEnabled ? (
          <>
            <Text>
              Nothing more is delivered to it, and what is pending for it is cancelled. Events of the meantime
              do not wait for it.
            </Text>
            <Text>
              Nothing is lost: once it is enabled again, “Recover” delivers every event that it missed, for as
              long as events are kept.
            </Text>
          </>
        ) : (
          <>
            <Text>It gets deliveries again, from the next event on.</Text>
            <Text>What it missed does not come by itself: “Recover” brings that.</Text>
          </>
        )}
      </ActionDialog>
    </Can>
  );
}
