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
import { useLinkedFilters } from '../lists/linked-filters';
import { List } from '../lists/list';
import { useList } from '../lists/use-list';
import { errorNames } from '../parts/attempt-error';
import { Page } from '../parts/page';

const filters = {
  q: textFilter('Search', 'Id of a delivery or event, e-mail, or beginning of a URL'),
  time: timeFilter('Time', 'created_after', 'created_before'),
  success: choiceFilter('Outcome', { true: 'Succeeded', false: 'Failed' }),
  status_class: statusClassFilter('Answer'),
  http_status: numberFilter('HTTP code', 'HTTP code'),
  error: choiceFilter('Error', errorNames()),
  attempt: choiceFilter('Attempt', {
    1: 'First attempt',
    2: 'Second attempt',
    3: 'Third attempt',
    4: 'Fourth attempt',
    5: 'Fifth attempt',
  }),
  delivery_state: choiceFilter('Delivery', {
    pending: 'Pending delivery',
    succeeded: 'Succeeded delivery',
    failed: 'Failed delivery',
    cancelled: 'Cancelled delivery',
  }),
  event: eventTypeFilter(),
  project_id: projectFilter(),
  endpoint_id: endpointFilter(),
};

const linked = {
  event_id: textFilter('Event id'),
  delivery_id: textFilter('Delivery id'),
  customer_id: textFilter('Customer id'),
  batch_id: textFilter('Batch id'),
};

const { answer, event, target, attempt, took, delivery, when } = attemptColumns;
const columns = [answer, event, target, attempt, took, delivery, when];

export function DeliveriesScreen(): ReactNode {
  const list = useList({
    path: '/operator/v1/webhooks/deliveries',
    count: '/operator/v1/webhooks/deliveries/count',
    filters: useLinkedFilters(filters, linked),
  });
  return (
    <Page title="Deliveries" about="Every attempt to deliver an event to an endpoint.">
      <List
        list={list}
        noun="attempts"
        columns={columns}
        href={(row) => `/deliveries/${row.delivery_id}#${row.id}`}
        live
        empty={{
          title: 'No deliveries yet',
          text: 'They begin when something happens that an enabled endpoint listens to. A test event is enough.',
          action: (
            <Button component={Link} to="/endpoints" variant="default" size="xs">
              Go to the endpoints
            </Button>
          ),
        }}
      />
    </Page>
  );
}
