import type { ReactNode } from 'react';
import type { Schemas } from '../http/client';
import { attemptColumns } from '../lists/attempt-columns';
import { choiceFilter, statusClassFilter, timeFilter } from '../lists/filters';
import { List } from '../lists/list';
import type { Column } from '../lists/list-table';
import { useList } from '../lists/use-list';
import { Id } from '../components/id';
import { RelativeTime } from '../components/relative-time';

type Event = Schemas['EventResponse'];

const filters = {
  delivery_state: choiceFilter('Delivery status', {
    pending: 'Pending',
    succeeded: 'Succeeded',
    failed: 'Failed',
    cancelled: 'Cancelled',
  }),
  status_class: statusClassFilter('Response'),
  time: timeFilter('Time', 'created_after', 'created_before'),
};

const { event, response, endpoint, attempt, delivery, startedAt } = attemptColumns;
const columns = [
  event,
  { ...response, width: '8rem' },
  endpoint,
  { ...attempt, wideOnly: true },
  delivery,
  startedAt,
];

/** Lists the delivery attempts of the events about a customer. */
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
      noun="attempts"
      columns={columns}
      href={(row) => `/deliveries/${row.delivery_id}`}
      live
      empty={{
        title: 'No deliveries',
        text: 'No events about this customer were sent to an endpoint, or the attempts were deleted by retention.',
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
