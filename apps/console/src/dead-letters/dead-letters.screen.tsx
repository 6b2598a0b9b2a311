import { Button } from '@mantine/core';
import { useMemo, useState, type ReactNode } from 'react';
import { Link, useNavigate } from 'react-router';
import { useRedeliverCommand } from '../deliveries/use-redeliver-command';
import { Can, useCan } from '../session/roles';
import { isAlwaysSelectable } from '../lists/list-table';
import {
  deliveryOwnerFilters,
  deliverySearchFilter,
  statusClassFilter,
} from '../deliveries/delivery-filters';
import { numberFilter, textFilter, timeFilter, viewFilter } from '../lists/filters';
import { useLinkedFilters } from '../lists/use-linked-filters';
import { List } from '../lists/list';
import type { EmptyContent } from '../lists/list-notice';
import { useList } from '../lists/use-list';
import { DiscardDialog, RedeliverDialog } from '../deliveries/delivery-dialogs';
import { Icon } from '../components/icon';
import { Page } from '../components/page';
import { MAX_DELIVERY_IDS } from '../batches/redelivery-batch';
import { StartBatchDialog } from '../batches/start-batch-dialog';
import { toastSuccess } from '../components/toast';
import { deadLetterColumns, type DeadLetter } from './dead-letter-columns';
import { filterByIds, toPlanFilter } from './plan-filter';
import { useRedeliveryPlan } from './use-redelivery-plan';

const PATH = '/operator/v1/webhooks/dead-letters';

const filters = {
  resolution: viewFilter(
    'Status',
    { waiting: 'Unresolved', redelivered: 'Redelivered', discarded: 'Discarded', erased: 'Erased' },
    'waiting',
  ),
  q: deliverySearchFilter(),
  time: timeFilter('Time', 'created_after', 'created_before'),
  status_class: statusClassFilter('Last response'),
  http_status: numberFilter('HTTP status', 'HTTP status'),
  ...deliveryOwnerFilters,
};

const linkedFilters = {
  event_id: textFilter('Event ID'),
  delivery_id: textFilter('Delivery ID'),
  customer_id: textFilter('Customer ID'),
};

const emptyTexts: Record<string, EmptyContent> = {
  waiting: {
    title: 'No unresolved dead letters',
    text: 'Every delivery has succeeded, is still pending, or has been resolved.',
    action: (
      <Button component={Link} to="/deliveries" variant="default" size="xs">
        View all deliveries
      </Button>
    ),
  },
  redelivered: { title: 'No redelivered dead letters', text: 'Redelivered dead letters appear here.' },
  discarded: {
    title: 'No discarded dead letters',
    text: 'Discarded dead letters appear here with the reason.',
  },
  erased: {
    title: 'No erased dead letters',
    text: 'Dead letters whose customer was deleted appear here. They can no longer be redelivered.',
  },
};

export function DeadLettersScreen(): ReactNode {
  const list = useList({
    name: 'dead-letters',
    path: PATH,
    count: `${PATH}/count`,
    filters: useLinkedFilters(filters, linkedFilters),
  });
  const navigate = useNavigate();
  const plan = useRedeliveryPlan();
  const [redeliveringId, setRedeliveringId] = useState<string | null>(null);
  const [discardingIds, setDiscardingIds] = useState<string[]>([]);
  const view = list.values.resolution ?? '';
  const canAct = useCan('operator') && view === 'waiting';
  const columns = useMemo(() => deadLetterColumns(view, canAct ? setRedeliveringId : null), [view, canAct]);
  const hasAny = (list.rows.length > 0 || list.mayHaveMore) && !list.filterError;
  const deselect = (ids: (string | null)[]): void =>
    list.select(
      [...list.selected.values()].filter(({ id }) => ids.includes(id)),
      false,
    );

  /** Opens the dialog for a single dead letter, or creates a plan for several. */
  const redeliver = (rows: DeadLetter[]): void => {
    const ids = rows.map(({ id }) => id);
    if (ids.length === 1) setRedeliveringId(ids[0]!);
    else void plan.create(filterByIds(ids));
  };

  const selected = [...list.selected.values()];
  const isRedeliverable = canAct && selected.length > 0 && selected.length <= MAX_DELIVERY_IDS;
  useRedeliverCommand(
    'Redeliver the selected dead letters',
    isRedeliverable ? () => redeliver(selected) : null,
  );

  return (
    <Page
      title="Dead letters"
      description="Deliveries whose attempts have all failed. They are not retried unless you redeliver them."
    >
      <List
        list={list}
        noun="dead letters"
        columns={columns}
        href={(row) => `/deliveries/${row.id}`}
        live
        isSelectable={canAct ? isAlwaysSelectable : undefined}
        actions={(rows) => (
          <SelectionActions
            count={rows.length}
            isRedelivering={plan.isCreating}
            onRedeliver={() => redeliver(rows)}
            onDiscard={() => setDiscardingIds(rows.map(({ id }) => id))}
          />
        )}
        toolbar={
          view === 'waiting' &&
          hasAny && (
            <Can role="operator">
              <Button
                size="xs"
                variant="default"
                leftSection={<Icon name="redeliver" size={14} />}
                loading={plan.isCreating && list.selected.size === 0}
                onClick={() => void plan.create(toPlanFilter(list.query()))}
              >
                {list.isFiltered ? 'Redeliver all matching' : 'Redeliver all'}
              </Button>
            </Can>
          )
        }
        empty={emptyTexts[view] ?? emptyTexts.waiting!}
      />
      <StartBatchDialog
        plan={plan.plan}
        onClose={plan.reset}
        onStarted={({ id }) => {
          toastSuccess('Batch started');
          void navigate(`/batches/${id}`);
        }}
      />
      <RedeliverDialog
        id={redeliveringId}
        onClose={() => setRedeliveringId(null)}
        onDone={({ id }) => {
          deselect([redeliveringId]);
          toastSuccess(<RedeliveredMessage id={id} open={(to) => void navigate(to)} />);
        }}
      />
      <DiscardDialog
        ids={discardingIds}
        onClose={() => setDiscardingIds([])}
        onDone={({ done }) => {
          deselect(done);
          toastSuccess(
            done.length === 1 ? 'Discarded 1 dead letter' : `Discarded ${done.length} dead letters`,
          );
        }}
      />
    </Page>
  );
}

interface SelectionActionsProps {
  count: number;
  isRedelivering: boolean;
  onRedeliver: () => void;
  onDiscard: () => void;
}

function SelectionActions(props: SelectionActionsProps): ReactNode {
  const isTooMany = props.count > MAX_DELIVERY_IDS;
  return (
    <>
      <Button
        size="xs"
        leftSection={<Icon name="redeliver" size={14} />}
        loading={props.isRedelivering}
        disabled={isTooMany}
        onClick={props.onRedeliver}
      >
        {isTooMany ? `Select at most ${MAX_DELIVERY_IDS}` : 'Redeliver'}
      </Button>
      <Button size="xs" variant="default" onClick={props.onDiscard}>
        Discard
      </Button>
    </>
  );
}

/** Renders a toast message with a link. Toasts are outside the router, so the link needs `open` to navigate. */
function RedeliveredMessage({ id, open }: { id: string; open: (to: string) => void }): ReactNode {
  return (
    <>
      Redelivery created.{' '}
      <Button variant="transparent" size="compact-sm" p={0} onClick={() => open(`/deliveries/${id}`)}>
        View new delivery
      </Button>
    </>
  );
}
