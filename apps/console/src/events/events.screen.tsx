import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Button } from '@mantine/core';
import type { Schemas } from '../http/client';
import { eventTypeFilter, projectFilter, textFilter, timeFilter } from '../lists/filters';
import { List } from '../lists/list';
import type { Column } from '../lists/list-table';
import { useList } from '../lists/use-list';
import { Id } from '../components/id';
import { Page } from '../components/page';
import { ProjectName } from '../components/record-name';
import { RelativeTime } from '../components/relative-time';
import { EventSubject } from './event-subject';

type Event = Schemas['EventResponse'];

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const filters = {
  q: textFilter('Search', 'Event, delivery or customer ID, or email'),
  types: eventTypeFilter(true),
  project_id: projectFilter(),
  customer_id: textFilter('Customer ID', 'Customer ID', UUID),
  time: timeFilter('Time', 'created_after', 'created_before'),
};

const columns: Column<Event>[] = [
  { header: 'Type', primary: true, cell: (row) => row.type },
  { header: 'Subject', truncate: true, cell: (row) => <EventSubject event={row} /> },
  {
    header: 'Project',
    truncate: true,
    width: '20%',
    cell: (row) => <ProjectName link id={row.project_id} fallback="None" />,
  },
  { header: 'Event ID', wideOnly: true, cell: (row) => <Id id={row.id} short /> },
  { header: 'Time', align: 'right', cell: (row) => <RelativeTime at={row.created_at} /> },
];

/** The event list, newest first. */
export function EventsScreen(): ReactNode {
  const list = useList({
    name: 'events',
    path: '/operator/v1/events',
    count: '/operator/v1/events/count',
    filters,
  });
  return (
    <Page
      title="Events"
      description="Events in your projects and organizations, and their webhook deliveries."
    >
      <List
        list={list}
        noun="events"
        columns={columns}
        href={(row) => `/events/${row.id}`}
        live
        empty={{
          title: 'No events yet',
          text: 'Events appear here when something changes, for example when a customer registers. An event is delivered only to endpoints that exist when it occurs.',
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
