import { Alert, Button, Group, Paper, Stack, Title } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useNavigate, useParams } from 'react-router';
import { useRedeliverCommand } from './use-redeliver-command';
import { Can } from '../session/roles';
import { useGet } from '../http/queries';
import { DiscardDialog, RedeliverDialog } from './delivery-dialogs';
import { Icon } from '../components/icon';
import { QueryContent } from '../components/query-content';
import { Page } from '../components/page';
import { ReplayDialog } from './replay-dialog';
import { StatusBadge } from '../components/status-badge';
import { toastSuccess } from '../components/toast';
import { DeliveryChain } from './delivery-chain';
import { DeliveryDetails } from './delivery-details';
import classes from './delivery.module.css';
import { explainRedeliveryRejection, type Delivery } from './explain-redelivery-rejection';
import { DeliveryReplays } from './delivery-replays';
import { DeliveryRequest } from './delivery-request';
import { DeliveryTimeline } from './delivery-timeline';

const LIVE_INTERVAL_MS = 2_000;
const backLink = { to: '/deliveries', label: 'Deliveries' };

export function DeliveryScreen(): ReactNode {
  const { id: deliveryId = '' } = useParams();
  const query = useGet(
    '/operator/v1/webhooks/deliveries/{deliveryId}',
    { path: { deliveryId } },
    // Polls until the delivery has finished.
    { refetchInterval: (response) => response?.data.state === 'pending' && LIVE_INTERVAL_MS },
  );
  if (!query.data) {
    return (
      <Page title="Delivery" back={backLink}>
        <QueryContent query={query}>{() => null}</QueryContent>
      </Page>
    );
  }
  return <DeliveryPage key={deliveryId} delivery={query.data.data} />;
}

function DeliveryPage({ delivery }: { delivery: Delivery }): ReactNode {
  const { id, event, state } = delivery;
  const chain = useGet(
    '/operator/v1/webhooks/deliveries/{deliveryId}/chain',
    { path: { deliveryId: id } },
    { refetchInterval: state === 'pending' && LIVE_INTERVAL_MS },
  );
  const links = chain.data?.data ?? [];
  const rejection = explainRedeliveryRejection(delivery, links.at(-1)?.id ?? null);
  return (
    <Page
      title={`${event} delivery`}
      heading={
        <Group gap="sm" component="span">
          {event}
          <StatusBadge state={delivery.resolution ?? state} />
        </Group>
      }
      back={backLink}
      actions={
        <Can role="operator">
          <Actions delivery={delivery} rejection={rejection} />
        </Can>
      }
    >
      <Stack gap="md">
        {rejection && (
          <Alert id="rejection" color="gray" icon={<Icon name="info" size={18} />} py="xs">
            {rejection}
          </Alert>
        )}
        <Paper>
          <DeliveryDetails delivery={delivery} />
        </Paper>
        <div className={classes.columns}>
          <Stack gap="md">
            <Paper component="section">
              <Title order={2} mb="sm">
                Attempts
              </Title>
              <DeliveryTimeline delivery={delivery} />
            </Paper>
            <DeliveryReplays delivery={delivery} />
            {(links.length > 1 || links[0]?.resolution) && (
              <Paper component="section">
                <DeliveryChain links={links} />
              </Paper>
            )}
          </Stack>
          <Paper component="section">
            <DeliveryRequest delivery={delivery} />
          </Paper>
        </div>
      </Stack>
    </Page>
  );
}

interface ActionsProps {
  delivery: Delivery;
  /**
   * The reason why the delivery cannot be redelivered, or null. It is shown on the page, and the button
   * refers to it with aria-describedby.
   */
  rejection: ReactNode;
}

function Actions({ delivery, rejection }: ActionsProps): ReactNode {
  const { id, state, resolution, endpoint_status: endpointStatus } = delivery;
  const navigate = useNavigate();
  const [openDialog, setOpenDialog] = useState<'redeliver' | 'discard' | 'replay' | null>(null);
  const close = (): void => setOpenDialog(null);
  const redeliverLabel =
    rejection === null && endpointStatus === 'disabled' ? 'Enable and redeliver' : 'Redeliver';
  useRedeliverCommand(
    `${redeliverLabel} this event`,
    rejection === null ? () => setOpenDialog('redeliver') : null,
  );
  return (
    <>
      <Can role="admin">
        <Button
          variant="default"
          leftSection={<Icon name="delivery" />}
          onClick={() => setOpenDialog('replay')}
        >
          Replay to another URL
        </Button>
        <ReplayDialog
          ids={openDialog === 'replay' ? [id] : []}
          onClose={close}
          onDone={() => toastSuccess('Replay created. This page shows its response.')}
        />
      </Can>
      {state === 'failed' && !resolution && (
        <Button
          variant="default"
          leftSection={<Icon name="trash" />}
          onClick={() => setOpenDialog('discard')}
        >
          Discard
        </Button>
      )}
      <Button
        leftSection={<Icon name="redeliver" />}
        disabled={rejection !== null}
        aria-describedby={rejection === null ? undefined : 'rejection'}
        onClick={() => setOpenDialog('redeliver')}
      >
        {redeliverLabel}
      </Button>
      <RedeliverDialog
        id={openDialog === 'redeliver' ? id : null}
        onClose={close}
        onDone={({ id: next }) => {
          toastSuccess('Redelivery created. This page shows the new delivery.');
          void navigate(`/deliveries/${next}`);
        }}
      />
      <DiscardDialog
        ids={openDialog === 'discard' ? [id] : []}
        onClose={close}
        onDone={() => toastSuccess('Dead letter discarded')}
      />
    </>
  );
}
