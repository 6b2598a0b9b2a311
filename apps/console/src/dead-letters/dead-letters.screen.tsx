import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Link, useNavigate } from 'react-router';
import { Can, useCan } from '../app/roles';
import type { RowOf } from '../lists/use-list';
import {
  endpointFilter,
  eventTypeFilter,
  numberFilter,
  projectFilter,
  statusClassFilter,
  textFilter,
  timeFilter,
  viewFilter,
} from '../lists/filters';
import { useLinkedFilters } from '../lists/linked-filters';
import { List } from '../lists/list';
import type { EmptyText } from '../lists/list-states';
import { useList } from '../lists/use-list';
import { DiscardDialog, RedeliverDialog } from '../parts/delivery-dialogs';
import { Icon } from '../parts/icon';
import { Page } from '../parts/page';
import { MOST_NAMED } from '../parts/redelivery-plan';
import { StartBatchDialog } from '../parts/start-batch-dialog';
import { toastDone } from '../parts/toast';
import { columnsOf, type DeadLetter } from './columns';
import { namedOnes, planFilterOf } from './plan-filter';
import { usePlan } from './use-plan';

const PATH = '/operator/v1/webhooks/dead-letters';

const filters = {
  resolution: viewFilter(
    'Status',
    { waiting: 'Unresolved', redelivered: 'Redelivered', discarded: 'Discarded' },
    'waiting',
  ),
  q: textFilter('Search', 'Delivery ID, event ID, email or start of URL'),
  time: timeFilter('Time', 'created_after', 'created_before'),
  status_class: statusClassFilter('Last response'),
  http_status: numberFilter('HTTP status', 'HTTP status'),
  event: eventTypeFilter(),
  project_id: projectFilter(),
  endpoint_id: endpointFilter(),
};

const linked = {
  event_id: textFilter('Event ID'),
  delivery_id: textFilter('Delivery ID'),
  customer_id: textFilter('Customer ID'),
};

const empties: Record<string, EmptyText> = {
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
};

export function DeadLettersScreen(): ReactNode {
  const list = useList({ path: PATH, count: `${PATH}/count`, filters: useLinkedFilters(filters, linked) });
  const navigate = useNavigate();
  const plan = usePlan();
  const [redelivered, setRedelivered] = useState<string | null>(null);
  const [discarded, setDiscarded] = useState<string[]>([]);
  const view = list.values.resolution ?? '';
  const isActing = useCan('operator') && view === 'waiting';
  const hasAny = (list.rows.length > 0 || list.goesOn) && !list.fault && !list.error;
  const forget = (ids: (string | null)[]): void =>
    list.select(
      [...list.selected.values()].filter(({ id }) => ids.includes(id)),
      false,
    );

  /** One needs no plan. */
  const redeliver = (rows: DeadLetter[]): void => {
    const ids = rows.map(({ id }) => id);
    if (ids.length === 1) setRedelivered(ids[0]!);
    else void plan.make(namedOnes(ids));
  };

  return (
    <Page
      title="Dead letters"
      about="Deliveries whose attempts have all failed. They are not retried unless you redeliver them."
    >
      <List
        list={list}
        noun="dead letters"
        columns={columnsOf(view, isActing ? setRedelivered : null)}
        href={(row) => `/deliveries/${row.id}`}
        live
        isSelectable={isActing ? isAnything : undefined}
        actions={(rows) => (
          <>
            <Button
              size="xs"
              leftSection={<Icon name="redeliver" size={14} />}
              loading={plan.isMaking}
              disabled={rows.length > MOST_NAMED}
              onClick={() => redeliver(rows)}
            >
              {rows.length > MOST_NAMED ? `Select at most ${MOST_NAMED}` : 'Redeliver'}
            </Button>
            <Button size="xs" variant="default" onClick={() => setDiscarded(rows.map(({ id }) => id))}>
              Discard
            </Button>
          </>
        )}
        toolbar={
          view === 'waiting' &&
          hasAny && (
            <Can role="operator">
              <Button
                size="xs"
                variant="default"
                leftSection={<Icon name="redeliver" size={14} />}
                loading={plan.isMaking && list.selected.size === 0}
                onClick={() => void plan.make(planFilterOf(list.query()))}
              >
                {list.isNarrowed ? 'Redeliver all matching' : 'Redeliver all'}
              </Button>
            </Can>
          )
        }
        empty={empties[view] ?? empties.waiting!}
      />
      <StartBatchDialog
        plan={plan.made}
        onClose={plan.forget}
        onStarted={({ id }) => {
          toastDone('Batch started');
          void navigate(`/batches/${id}`);
        }}
      />
      <RedeliverDialog
        id={redelivered}
        onClose={() => setRedelivered(null)}
        onDone={({ id }) => {
          forget([redelivered]);
          toastDone(<RedeliveredNote id={id} open={(to) => void navigate(to)} />);
        }}
      />
      <DiscardDialog
        ids={discarded}
        onClose={() => setDiscarded([])}
        onDone={(count) => {
          forget(discarded);
          toastDone(discardedInWords(count, discarded.length));
        }}
      />
    </Page>
  );
}

const isAnything = (_: RowOf<typeof PATH>): boolean => true;

/** Toasts stand outside the router, so that a link in one has to be given its way. */
function RedeliveredNote({ id, open }: { id: string; open: (to: string) => void }): ReactNode {
  return (
    <>
      Redelivery created.{' '}
      <Button variant="transparent" size="compact-sm" p={0} onClick={() => open(`/deliveries/${id}`)}>
        View new delivery
      </Button>
    </>
  );
}

function discardedInWords(count: number, asked: number): string {
  const done = count === 1 ? 'Discarded 1 dead letter' : `Discarded ${count} dead letters`;
  return count === asked ? done : `${done}. ${asked - count} already resolved.`;
}
