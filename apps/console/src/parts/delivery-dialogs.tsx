import { Text } from '@mantine/core';
import { useRef, type ReactNode } from 'react';
import { api, unwrap, type Schemas } from '../http/client';
import { toProblem } from '../http/problem';
import { useApiMutation } from '../http/queries';
import { ActionDialog } from './action-dialog';

const INVALIDATED_PATHS = ['/operator/v1/webhooks/', '/operator/v1/overview', '/operator/v1/events'];

interface RedeliverDialogProps {
  /** The id of a delivery; null keeps the dialog closed. */
  id: string | null;
  onClose: () => void;
  /** The new delivery. */
  onDone: (delivery: Schemas['DeliveryResponse']) => void;
}

/** Delivers one event again. */
export function RedeliverDialog({ id, onClose, onDone }: RedeliverDialogProps): ReactNode {
  const redeliver = useApiMutation(
    ({ deliveryId, reason }: { deliveryId: string; reason: string }) =>
      unwrap(
        api.POST('/operator/v1/webhooks/deliveries/{deliveryId}/redeliver', {
          params: { path: { deliveryId } },
          body: { reason: reason || null },
        }),
      ),
    ...INVALIDATED_PATHS,
  );
  return (
    <ActionDialog
      open={id !== null}
      onClose={onClose}
      title="Redeliver this event?"
      confirmLabel="Redeliver"
      requiresReason="optional"
      onConfirm={async (reason) => {
        const { data: delivery } = await redeliver.mutateAsync({ deliveryId: id!, reason });
        onDone(delivery);
      }}
    >
      <Text>
        A new delivery of the same event is sent immediately to the current URL of the endpoint. It has the
        same event ID, so the receiver can detect duplicates. This cannot be undone.
      </Text>
    </ActionDialog>
  );
}

interface DiscardDialogProps {
  /** The ids of dead letters; none keeps the dialog closed. */
  ids: string[];
  onClose: () => void;
  /** @param count how many were discarded */
  onDone: (count: number) => void;
}

/** Sets dead letters aside, one after the other: each is a record of its own in the audit log. */
export function DiscardDialog({ ids, onClose, onDone }: DiscardDialogProps): ReactNode {
  // What a first try has discarded counts when a second one goes on.
  const done = useRef(new Set<string>());
  const discard = useApiMutation(
    (reason: string) => discardAll(ids, reason, done.current),
    ...INVALIDATED_PATHS,
  );
  // While the dialog fades away it still says what it said.
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
 * @param done which are discarded already; the others join them
 * @returns how many are discarded; what somebody else has dealt with meanwhile is passed over
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
      // One alone says why; of many the rest must not be left waiting for it.
      if (ids.length === 1 || ![404, 409].includes(toProblem(error).status)) throw error;
    }
  }
  return done.size;
}
