import type { ReactNode } from 'react';
import { attemptColumns } from './attempt-columns';
import {
  deliveryOwnerFilters,
  deliverySearchFilter,
  deliveryStateFilter,
  statusClassFilter,
} from './delivery-filters';
import { choiceFilter, numberFilter, textFilter, timeFilter } from '../lists/filters';
import { useLinkedFilters } from '../lists/use-linked-filters';
import { List } from '../lists/list';
import { useList } from '../lists/use-list';
import { errorLabels } from './explain-attempt';
import { Page } from '../components/page';
import { DeliveryViews } from './delivery-views';
import { emptyDeliveries } from './empty-deliveries';

const filters = {
  q: deliverySearchFilter(),
  time: timeFilter('Time', 'created_after', 'created_before'),
  success: choiceFilter('Outcome', { true: 'Succeeded', false: 'Failed' }),
  status_class: statusClassFilter('Response'),
  http_status: numberFilter('HTTP status', 'HTTP status'),
  error: choiceFilter('Error', errorLabels()),
  attempt: choiceFilter('Attempt', {
    1: 'First attempt',
    2: 'Second attempt',
    3: 'Third attempt',
    4: 'Fourth attempt',
    5: 'Fifth attempt',
  }),
  delivery_state: deliveryStateFilter('Delivery status'),
  ...deliveryOwnerFilters,
};

const linkedFilters = {
  event_id: textFilter('Event ID'),
  delivery_id: textFilter('Delivery ID'),
  customer_id: textFilter('Customer ID'),
  batch_id: textFilter('Batch ID'),
};

const { response, event, endpoint, attempt, duration, delivery, startedAt } = attemptColumns;
const columns = [response, event, endpoint, attempt, duration, delivery, startedAt];

export function AttemptsScreen(): ReactNode {
  const list = useList({
    name: 'attempts',
    path: '/operator/v1/webhooks/attempts',
    count: '/operator/v1/webhooks/attempts/count',
    filters: useLinkedFilters(filters, linkedFilters),
  });
  return (
    <Page title="Attempts" description="Every attempt to deliver an event to an endpoint.">
      <DeliveryViews current="attempts" />
      <List
        list={list}
        noun="attempts"
        columns={columns}
        href={(row) => `/deliveries/${row.delivery_id}#${row.id}`}
        live
        empty={emptyDeliveries}
      />
    </Page>
  );
}
