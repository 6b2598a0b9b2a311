import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { api, unwrap, type Schemas } from '../http/client';
import { useApiMutation, useGet } from '../http/queries';
import { ActionDialog } from '../components/action-dialog';
import { BulkActionDialog, type BulkResult } from '../lists/bulk-action-dialog';
import { Id } from '../components/id';

const INVALIDATED_PATHS = ['/operator/v1/webhooks/', '/operator/v1/overview', '/operator/v1/events'];

interface RedeliverDialogProps {
  /** A delivery's ID; null keeps the dialog closed. */
  id: string | null;
  onClose: () => void;
  /** Called with the new delivery. */
  onDone: (delivery: Schemas['DeliveryResponse']) => void;
}

/** Renders the dialog that redelivers one event. If the endpoint is disabled, the dialog offers to enable it. */
export function RedeliverDialog({ id, onClose, onDone }: RedeliverDialogProps): ReactNode {
  const query = useGet(
    '/operator/v1/webhooks/deliveries/{deliveryId}',
    { path: { deliveryId: id ?? '' } },
    { enabled: id !== null },
  );
  const isDisabled = query.data?.data.endpoint_status === 'disabled';
  const redeliver = useApiMutation(
    ({ deliveryId, reason }: { deliveryId: string; reason: string }) =>
      unwrap(
        api.POST('/operator/v1/webhooks/deliveries/{deliveryId}/redeliver', {
          params: { path: { deliveryId } },
          body: { reason: reason || null, enable_endpoint: isDisabled },
        }),
      ),
    ...INVALIDATED_PATHS,
  );
  return (
    <ActionDialog
      open={id !== null}
      onClose={onClose}
      title={isDisabled ? 'Enable the endpoint and redeliver this event?' : 'Redeliver this event?'}
      confirmLabel={isDisabled ? 'Enable and redeliver' : 'Redeliver'}
      requiresReason="optional"
      disabled={query.isLoading}
      onConfirm={async (reason) => {
        const { data: delivery } = await redeliver.mutateAsync({ deliveryId: id!, reason });
        onDone(delivery);
      }}
    >
      {isDisabled && (
        <Text>
          The endpoint of this delivery is disabled. Gatehouse enables it first, so it receives new events
          again.
        </Text>
      )}
      <Text>
        A new delivery of the same event is sent immediately to the current URL of the endpoint. It has the
        same event ID, so the receiver can detect duplicates. This cannot be undone.
      </Text>
    </ActionDialog>
  );
}

interface BulkDialogProps {
  /** Delivery IDs; an empty array keeps the dialog closed. */
  ids: string[];
  onClose: () => void;
  onDone: (result: BulkResult<string>) => void;
}

/** Renders a delivery in a dialog's report. */
export const renderDelivery = (id: string): ReactNode => (
  <Id id={id} short to={`/deliveries/${id}`} copy={false} />
);

/** Renders the dialog that redelivers several events, each to its endpoint's current URL. */
export function BulkRedeliverDialog({ ids, ...props }: BulkDialogProps): ReactNode {
  return (
    <BulkActionDialog
      {...props}
      items={ids}
      renderItem={renderDelivery}
      title={(count) => (count === 1 ? 'Redeliver 1 delivery?' : `Redeliver ${count} deliveries?`)}
      confirmLabel={(count) => `Redeliver ${count}`}
      reportTitle={(done, count) => `Redelivered ${done} of ${count}`}
      requiresReason="optional"
      perform={(deliveryId, reason) =>
        api.POST('/operator/v1/webhooks/deliveries/{deliveryId}/redeliver', {
          params: { path: { deliveryId } },
          body: { reason: reason || null },
        })
      }
      invalidatedPaths={INVALIDATED_PATHS}
    >
      {() => (
        <Text>
          Gatehouse sends a new delivery of each event to the current URL of its endpoint. Deliveries that are
          pending, were already redelivered or have a disabled endpoint are rejected. This cannot be undone.
        </Text>
      )}
    </BulkActionDialog>
  );
}

/**
 * Renders the dialog that discards dead letters. The API rejects those that were resolved or deleted in the meantime.
 */
export function DiscardDialog({ ids, ...props }: BulkDialogProps): ReactNode {
  return (
    <BulkActionDialog
      {...props}
      items={ids}
      renderItem={renderDelivery}
      title={(count) => (count === 1 ? 'Discard this dead letter?' : `Discard ${count} dead letters?`)}
      confirmLabel={(count) => (count === 1 ? 'Discard' : `Discard ${count}`)}
      reportTitle={(done, count) => `Discarded ${done} of ${count}`}
      danger
      requiresReason="required"
      perform={(deliveryId, reason) =>
        api.POST('/operator/v1/webhooks/deliveries/{deliveryId}/discard', {
          params: { path: { deliveryId } },
          body: { reason },
        })
      }
      invalidatedPaths={INVALIDATED_PATHS}
    >
      {(count) => (
        <Text>
          {count === 1 ? 'It is' : 'They are'} removed from the unresolved dead letters and not sent. You can
          still redeliver {count === 1 ? 'it' : 'each of them'} until retention deletes it.
        </Text>
      )}
    </BulkActionDialog>
  );
}
