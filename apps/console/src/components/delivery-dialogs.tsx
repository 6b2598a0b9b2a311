import { Text } from '@mantine/core';
import { useRef, type ReactNode } from 'react';
import { api, unwrap, type Schemas } from '../http/client';
import { toProblem } from '../http/problem';
import { useApiMutation, useGet } from '../http/queries';
import { ActionDialog } from './action-dialog';

const INVALIDATED_PATHS = ['/operator/v1/webhooks/', '/operator/v1/overview', '/operator/v1/events'];

interface RedeliverDialogProps {
  /** The ID of a delivery; null keeps the dialog closed. */
  id: string | null;
  onClose: () => void;
  /** Called with the new delivery. */
  onDone: (delivery: Schemas['DeliveryResponse']) => void;
}

/** Redelivers one event. If its endpoint is disabled, the dialog offers to enable it. */
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
          The endpoint of this delivery is disabled. It is enabled first, and then receives new events again.
        </Text>
      )}
      <Text>
        A new delivery of the same event is sent immediately to the current URL of the endpoint. It has the
        same event ID, so the receiver can detect duplicates. This cannot be undone.
      </Text>
    </ActionDialog>
  );
}

interface DiscardDialogProps {
  /** The IDs of dead letters; an empty array keeps the dialog closed. */
  ids: string[];
  onClose: () => void;
  /** @param count how many were discarded */
  onDone: (count: number) => void;
}

/** Discards dead letters one by one, because each discard is a separate entry in the audit log. */
export function DiscardDialog({ ids, onClose, onDone }: DiscardDialogProps): ReactNode {
  // If a first attempt failed, the dead letters that it discarded are counted in the second one.
  const done = useRef(new Set<string>());
  const discard = useApiMutation(
    (reason: string) => discardAll(ids, reason, done.current),
    ...INVALIDATED_PATHS,
  );
  // Retains the count while the closing dialog fades out.
  const count = useRef(0);
  if (ids.length > 0) count.current = ids.length;
  const isOne = count.current === 1;
  return (
    <ActionDialog
      open={ids.length > 0}
      onClose={() => {
        done.current.clear();
        onClose();
      }}
      title={isOne ? 'Discard this dead letter?' : `Discard ${count.current} dead letters?`}
      confirmLabel={isOne ? 'Discard' : `Discard ${count.current}`}
      danger
      requiresReason="required"
      onConfirm={async (reason) => onDone(await discard.mutateAsync(reason))}
    >
      <Text>
        {isOne ? 'It is' : 'They are'} removed from the unresolved dead letters and not sent. You can still
        redeliver {isOne ? 'it' : 'each of them'} until retention deletes it.
      </Text>
    </ActionDialog>
  );
}

/**
 * Discards dead letters. Those that were resolved or deleted in the meantime are skipped.
 * @param done IDs that are already discarded; newly discarded ones are added
 * @returns the number of discarded dead letters
 */
async function discardAll(ids: string[], reason: string, done: Set<string>): Promise<number> {
  for (const deliveryId of ids.filter((id) => !done.has(id))) {
    try {
      await api.POST('/operator/v1/webhooks/deliveries/{deliveryId}/discard', {
        params: { path: { deliveryId } },
        body: { reason },
      });
      done.add(deliveryId);
    } catch (error) {
      // For a single dead letter the error is shown. With several, one error must not prevent the others from
      // being discarded.
      if (ids.length === 1 || ![404, 409].includes(toProblem(error).status)) throw error;
    }
  }
  return done.size;
}
