import type { ReactNode } from 'react';
import type { Schemas } from '../http/client';
import { deliveryColumns, summaryColumns } from '../lists/delivery-columns';
import { deliveryStateFilter, statusClassFilter, timeFilter } from '../lists/filters';
import { List } from '../lists/list';
import type { Column } from '../lists/list-table';
import { useList } from '../lists/use-list';
import { Id } from '../components/id';
import { RelativeTime } from '../components/relative-time';

type Event = Schemas['EventResponse'];

const filters = {
  state: deliveryStateFilter('Status'),
  status_class: statusClassFilter('Last response'),
  time: timeFilter('Time', 'created_after', 'created_before'),
};

const { event, endpoint, state, nextAttempt, createdAt } = summaryColumns;
const { response, attempts } = deliveryColumns;
const columns = [state, event, endpoint, response, attempts, nextAttempt, createdAt];

/** Lists the deliveries of the events about a customer. */
export function CustomerDeliveries({ customerId }: { customerId: string }): ReactNode {
  const list = useList({
    path: '/operator/v1/webhooks/deliveries',
    count: '/operator/v1/webhooks/deliveries/count',
    filters,
    fixedQuery: { customer_id: customerId },
  });
  return (
    <List
      list={list}
      noun="deliveries"
      columns={columns}
      href={(row) => `/deliveries/${row.id}`}
      live
      empty={{
        title: 'No deliveries',
        text: 'No events about this customer were sent to an endpoint, or the deliveries were deleted by retention.',
      }}
    />
  );
}

const eventFilters = { time: timeFilter('Time', 'created_after', 'created_before') };

const eventColumns: Column<Event>[] = [
  { header: 'Event', primary: true, cell: (row) => row.type },
  { header: 'ID', cell: (row) => <Id id={row.id} short /> },
  { header: 'Time', align: 'right', cell: (row) => <RelativeTime at={row.created_at} /> },
];

/** Lists the events about a customer. */
export function CustomerEvents({ customerId }: { customerId: string }): ReactNode {
  const list = useList({
    path: '/operator/v1/events',
    count: '/operator/v1/events/count',
    filters: eventFilters,
    fixedQuery: { customer_id: customerId },
  });
  return (
    <List
      list={list}
      noun="events"
      columns={eventColumns}
      href={(row) => `/events/${row.id}`}
      live
      empty={{
        title: 'No events',
        text: 'Events are deleted after the retention time set in WEBHOOK_RETENTION.',
      }}
    />
  );
}
