import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { BulkRedeliverDialog, DiscardDialog, RedeliverDialog } from './delivery-dialogs';
import { Icon } from '../components/icon';
import { MAX_DELIVERY_IDS } from '../batches/redelivery-batch';
import { toastSuccess } from '../components/toast';
import type { ListedDelivery } from './delivery-columns';

/** The action whose dialog is open, and the selected deliveries. */
export interface DeliveryAction {
  kind: 'redeliver' | 'discard';
  ids: string[];
}

interface DeliveryButtonsProps {
  /** The selected deliveries. */
  rows: ListedDelivery[];
  onAction: (action: DeliveryAction) => void;
}

/** Renders the buttons for selected deliveries. Only dead letters can be discarded. */
export function DeliveryButtons({ rows, onAction }: DeliveryButtonsProps): ReactNode {
  const ids = rows.map(({ id }) => id);
  const isTooMany = ids.length > MAX_DELIVERY_IDS;
  const areDeadLetters = rows.every(({ state, resolution }) => state === 'failed' && !resolution);
  return (
    <>
      <Button
        size="xs"
        leftSection={<Icon name="redeliver" size={14} />}
        disabled={isTooMany}
        onClick={() => onAction({ kind: 'redeliver', ids })}
      >
        {isTooMany ? `Select at most ${MAX_DELIVERY_IDS}` : 'Redeliver'}
      </Button>
      {areDeadLetters && !isTooMany && (
        <Button size="xs" variant="default" onClick={() => onAction({ kind: 'discard', ids })}>
          Discard
        </Button>
      )}
    </>
  );
}

interface DeliveryDialogsProps {
  /** Null keeps all dialogs closed. */
  action: DeliveryAction | null;
  onClose: () => void;
  /** Called with the deliveries that were redelivered or discarded. */
  onDone: (ids: string[]) => void;
}

/** Renders the action dialogs. They stay open after the selection is cleared, because they report rejections. */
export function DeliveryDialogs({ action, onClose, onDone }: DeliveryDialogsProps): ReactNode {
  const idsOf = (kind: DeliveryAction['kind']): string[] => (action?.kind === kind ? action.ids : []);
  const redelivered = idsOf('redeliver');
  const finish = (verb: string) => (ids: string[]) => {
    toastSuccess(`${verb} ${ids.length === 1 ? '1 delivery' : `${ids.length} deliveries`}`);
    onDone(ids);
  };
  const [finishRedelivery, finishDiscard] = [finish('Redelivered'), finish('Discarded')];
  return (
    <>
      <RedeliverDialog
        id={redelivered.length === 1 ? redelivered[0]! : null}
        onClose={onClose}
        onDone={() => finishRedelivery(redelivered)}
      />
      <BulkRedeliverDialog
        ids={redelivered.length > 1 ? redelivered : []}
        onClose={onClose}
        onDone={({ done }) => finishRedelivery(done)}
      />
      <DiscardDialog ids={idsOf('discard')} onClose={onClose} onDone={({ done }) => finishDiscard(done)} />
    </>
  );
}
