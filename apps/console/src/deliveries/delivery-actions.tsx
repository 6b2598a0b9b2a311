import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { BulkRedeliverDialog, DiscardDialog, RedeliverDialog } from '../components/delivery-dialogs';
import { Icon } from '../components/icon';
import { MAX_DELIVERY_IDS } from '../components/redelivery-batch';
import { toastSuccess } from '../components/toast';
import type { ListedDelivery } from '../lists/delivery-columns';

interface DeliveryActionsProps {
  /** The selected deliveries. */
  rows: ListedDelivery[];
  /** Clears the selection. */
  onDone: () => void;
}

/** Renders the actions on selected deliveries with their dialogs. Only dead letters can be discarded. */
export function DeliveryActions({ rows, onDone }: DeliveryActionsProps): ReactNode {
  const [dialog, setDialog] = useState<'redeliver' | 'discard' | null>(null);
  const ids = rows.map(({ id }) => id);
  const isTooMany = ids.length > MAX_DELIVERY_IDS;
  const areDeadLetters = rows.every(({ state, resolution }) => state === 'failed' && !resolution);
  const close = (): void => setDialog(null);
  const finish = (verb: string) => (count: number) => {
    if (count > 0) toastSuccess(`${verb} ${count === 1 ? '1 delivery' : `${count} deliveries`}`);
    onDone();
  };
  return (
    <>
      <Button
        size="xs"
        leftSection={<Icon name="redeliver" size={14} />}
        disabled={isTooMany}
        onClick={() => setDialog('redeliver')}
      >
        {isTooMany ? `Select at most ${MAX_DELIVERY_IDS}` : 'Redeliver'}
      </Button>
      {areDeadLetters && !isTooMany && (
        <Button size="xs" variant="default" onClick={() => setDialog('discard')}>
          Discard
        </Button>
      )}
      <RedeliverDialog
        id={dialog === 'redeliver' && ids.length === 1 ? ids[0]! : null}
        onClose={close}
        onDone={() => finish('Redelivered')(1)}
      />
      <BulkRedeliverDialog
        ids={dialog === 'redeliver' && ids.length > 1 ? ids : []}
        onClose={close}
        onDone={finish('Redelivered')}
      />
      <DiscardDialog ids={dialog === 'discard' ? ids : []} onClose={close} onDone={finish('Discarded')} />
    </>
  );
}
