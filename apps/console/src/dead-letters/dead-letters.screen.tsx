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
    'State',
    { waiting: 'Waiting', redelivered: 'Resolved', discarded: 'Discarded' },
    'waiting',
  ),
  q: textFilter('Search', 'Id of a delivery or event, e-mail, or beginning of a URL'),
  time: timeFilter('Time', 'created_after', 'created_before'),
  status_class: statusClassFilter('Last answer'),
  http_status: numberFilter('HTTP code', 'HTTP code'),
  event: eventTypeFilter(),
  project_id: projectFilter(),
  endpoint_id: endpointFilter(),
};

const linked = {
  event_id: textFilter('Event id'),
  delivery_id: textFilter('Delivery id'),
  customer_id: textFilter('Customer id'),
};

const empties: Record<string, EmptyText> = {
  waiting: {
    title: 'Nothing waiting',
    text: 'Every delivery has succeeded, is still being tried, or somebody has dealt with it.',
    action: (
      <Button component={Link} to="/deliveries" variant="default" size="xs">
        See all deliveries
      </Button>
    ),
  },
  redelivered: { title: 'Nothing resolved yet', text: 'Dead letters that were redelivered stand here.' },
  discarded: {
    title: 'Nothing discarded',
    text: 'Dead letters that somebody set aside stand here, with why.',
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
      about="Deliveries that have failed for good. Nothing more is tried unless somebody asks for it."
    >
      <List
        list={list}
        noun={view === 'waiting' ? 'dead letters waiting' : 'dead letters'}
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
              {rows.length > MOST_NAMED ? `Redeliver at most ${MOST_NAMED}` : 'Redeliver'}
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
                {list.isNarrowed ? 'Redeliver all that match' : 'Redeliver all'}
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
          toastDone('The batch has started');
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
      Redelivered.{' '}
      <Button variant="transparent" size="compact-sm" p={0} onClick={() => open(`/deliveries/${id}`)}>
        See the new delivery
      </Button>
    </>
  );
}

function discardedInWords(count: number, asked: number): string {
  const done = count === 1 ? 'Discarded 1 dead letter' : `Discarded ${count} dead letters`;
  return count === asked ? done : `${done}; somebody else has dealt with the other ${asked - count}`;
}
