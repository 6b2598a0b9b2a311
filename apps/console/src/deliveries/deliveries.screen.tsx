import { Anchor, Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Link, Navigate, useSearchParams } from 'react-router';
import { useCan } from '../session/roles';
import { useRedeliverCommand } from './use-redeliver-command';
import { deliveryColumns, summaryColumns, type ListedDelivery } from './delivery-columns';
import {
  deliveryOwnerFilters,
  deliverySearchFilter,
  deliveryStateFilter,
  statusClassFilter,
} from './delivery-filters';
import { choiceFilter, numberFilter, sortFilter, textFilter, timeFilter } from '../lists/filters';
import { List } from '../lists/list';
import { isAlwaysSelectable, type Column } from '../lists/list-table';
import { useLinkedFilters } from '../lists/use-linked-filters';
import { useList } from '../lists/use-list';
import { errorLabels } from './explain-attempt';
import { Icon } from '../components/icon';
import { useUpdateSearch } from '../components/use-update-search';
import { Page } from '../components/page';
import { MAX_DELIVERY_IDS } from '../batches/redelivery-batch';
import { AttemptsDrawer } from './attempts-drawer';
import { DeliveryButtons, DeliveryDialogs, type DeliveryAction } from './delivery-actions';
import { DeliveryViews } from './delivery-views';
import { emptyDeliveries } from './empty-deliveries';

const filters = {
  q: deliverySearchFilter(),
  time: timeFilter('Time', 'created_after', 'created_before'),
  state: deliveryStateFilter('Status'),
  failed_attempts: choiceFilter('Failed attempts', {
    true: 'With failed attempts',
    false: 'No failed attempts',
  }),
  status_class: statusClassFilter('Last response'),
  http_status: numberFilter('HTTP status', 'HTTP status'),
  error: choiceFilter('Last error', errorLabels()),
  ...deliveryOwnerFilters,
  sort: sortFilter({ created_at: 'Created', next_attempt_at: 'Next attempt' }),
};

const linkedFilters = {
  event_id: textFilter('Event ID'),
  customer_id: textFilter('Customer ID'),
  batch_id: textFilter('Batch ID'),
};

/** Filters of the attempt list, which was at this path in earlier versions. Links with them open the attempt list. */
const ATTEMPT_FILTERS = ['success', 'attempt', 'delivery_id', 'delivery_state'];

const OTHER_PARAMS = ['attempts'] as const;

const FAILED_IN_LAST_HOUR = { failed_attempts: 'true', time: '1h' };

export function DeliveriesScreen(): ReactNode {
  const [search] = useSearchParams();
  if (ATTEMPT_FILTERS.some((name) => search.has(name)))
    return <Navigate to={{ pathname: '/deliveries/attempts', search: search.toString() }} replace />;
  return <Deliveries />;
}

function Deliveries(): ReactNode {
  const list = useList({
    name: 'deliveries',
    path: '/operator/v1/webhooks/deliveries',
    count: '/operator/v1/webhooks/deliveries/count',
    filters: useLinkedFilters(filters, linkedFilters),
    otherParams: OTHER_PARAMS,
  });
  const [action, setAction] = useState<DeliveryAction | null>(null);
  const [search] = useSearchParams();
  const updateSearch = useUpdateSearch();
  const canAct = useCan('operator');
  const selected = [...list.selected.keys()];
  const isRedeliverable = canAct && selected.length > 0 && selected.length <= MAX_DELIVERY_IDS;
  useRedeliverCommand(
    'Redeliver the selected deliveries',
    isRedeliverable ? () => setAction({ kind: 'redeliver', ids: selected }) : null,
  );
  return (
    <Page title="Deliveries" description="Events that were or will be sent to endpoints.">
      <DeliveryViews current="deliveries" />
      <List
        list={list}
        noun="deliveries"
        columns={columns}
        href={(row) => `/deliveries/${row.id}`}
        live
        isSelectable={canAct ? isAlwaysSelectable : undefined}
        actions={(rows) => <DeliveryButtons rows={rows} onAction={setAction} />}
        toolbar={
          <Button
            size="xs"
            variant="default"
            leftSection={<Icon name="alert" size={14} />}
            onClick={() =>
              updateSearch(
                (params) => new URLSearchParams({ ...Object.fromEntries(params), ...FAILED_IN_LAST_HOUR }),
                { replace: true },
              )
            }
          >
            Failed in the last hour
          </Button>
        }
        empty={emptyDeliveries}
      />
      <DeliveryDialogs
        action={action}
        onClose={() => setAction(null)}
        onDone={(ids) =>
          list.select(
            [...list.selected.values()].filter(({ id }) => ids.includes(id)),
            false,
          )
        }
      />
      <AttemptsDrawer
        id={search.get('attempts')}
        onClose={() =>
          updateSearch((params) => params.delete('attempts'), { replace: true, preventScrollReset: true })
        }
      />
    </Page>
  );
}

/** Renders the attempt count, with a link that opens the attempts beside the list. */
function AttemptsLink({ delivery }: { delivery: ListedDelivery }): ReactNode {
  const [search] = useSearchParams();
  const text = deliveryColumns.attempts.cell(delivery);
  if (delivery.attempt === 0) return text;
  const to = new URLSearchParams(search);
  to.set('attempts', delivery.id);
  return (
    <Anchor
      component={Link}
      to={`?${to}`}
      preventScrollReset
      inherit
      aria-label={`Attempts for ${delivery.id}: ${text}`}
    >
      {text}
    </Anchor>
  );
}

const columns: Column<ListedDelivery>[] = [
  summaryColumns.state,
  summaryColumns.event,
  summaryColumns.endpoint,
  deliveryColumns.customer,
  summaryColumns.project,
  deliveryColumns.response,
  { ...deliveryColumns.attempts, cell: (row) => <AttemptsLink delivery={row} /> },
  { ...summaryColumns.nextAttempt, sort: 'next_attempt_at' },
  { ...summaryColumns.createdAt, sort: 'created_at' },
];
