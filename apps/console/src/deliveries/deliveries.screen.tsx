import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { attemptColumns } from '../lists/attempt-columns';
import {
  choiceFilter,
  endpointFilter,
  eventTypeFilter,
  numberFilter,
  projectFilter,
  statusClassFilter,
  textFilter,
  timeFilter,
} from '../lists/filters';
import { useLinkedFilters } from '../lists/use-linked-filters';
import { List } from '../lists/list';
import { useList } from '../lists/use-list';
import { errorLabels } from '../components/explain-attempt';
import { Page } from '../components/page';

const filters = {
  q: textFilter('Search', 'Delivery ID, event ID, email or start of URL'),
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
  delivery_state: choiceFilter('Delivery status', {
    pending: 'Pending delivery',
    succeeded: 'Succeeded delivery',
    failed: 'Failed delivery',
    cancelled: 'Cancelled delivery',
  }),
  event: eventTypeFilter(),
  project_id: projectFilter(),
  endpoint_id: endpointFilter(),
};

const linkedFilters = {
  event_id: textFilter('Event ID'),
  delivery_id: textFilter('Delivery ID'),
  customer_id: textFilter('Customer ID'),
  batch_id: textFilter('Batch ID'),
};

const { response, event, endpoint, attempt, duration, delivery, startedAt } = attemptColumns;
const columns = [response, event, endpoint, attempt, duration, delivery, startedAt];

export function DeliveriesScreen(): ReactNode {
  const list = useList({
    path: '/operator/v1/webhooks/deliveries',
    count: '/operator/v1/webhooks/deliveries/count',
    filters: useLinkedFilters(filters, linkedFilters),
  });
  return (
    <Page title="Deliveries" description="Every attempt to deliver an event to an endpoint.">
      <List
        list={list}
        noun="attempts"
        columns={columns}
        href={(row) => `/deliveries/${row.delivery_id}#${row.id}`}
        live
        empty={{
          title: 'No deliveries yet',
          text: 'Deliveries start when an event occurs that an enabled endpoint subscribes to. To try it, send a test event.',
          action: (
            <Button component={Link} to="/endpoints" variant="default" size="xs">
              Go to endpoints
            </Button>
          ),
        }}
      />
    </Page>
  );
}
