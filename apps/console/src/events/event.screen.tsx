import { Alert, Paper, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useParams } from 'react-router';
import type { Schemas } from '../http/client';
import { useGet } from '../http/queries';
import { summaryColumns } from '../deliveries/delivery-columns';
import { List } from '../lists/list';
import type { Column } from '../lists/list-table';
import { useList } from '../lists/use-list';
import { PropertyList } from '../components/property-list';
import { UntrustedText } from '../components/untrusted-text';
import { Icon } from '../components/icon';
import { Id } from '../components/id';
import { JsonView } from '../components/json-view';
import { QueryContent } from '../components/query-content';
import { Page } from '../components/page';
import { OrganizationName, ProjectName } from '../components/record-name';
import { RelativeTime } from '../components/relative-time';
import { Badge } from '../components/status-badge';
import { EventSubject } from './event-subject';

type Event = Schemas['EventResponse'];
type Delivery = Schemas['DeliverySummaryResponse'];

/** The screen for an event: its deliveries and its body. */
export function EventScreen(): ReactNode {
  const { id = '' } = useParams();
  const query = useGet('/operator/v1/events/{eventId}', { path: { eventId: id } });
  return (
    <Page
      title={query.data?.data.type ?? 'Event'}
      description={<Id id={id} />}
      back={{ to: '/events', label: 'Events' }}
    >
      <QueryContent query={query}>{({ data: event }) => <EventDetails event={event} />}</QueryContent>
    </Page>
  );
}

function EventDetails({ event }: { event: Event }): ReactNode {
  return (
    <Stack gap="lg">
      {event.erased && (
        <Alert color="gray" icon={<Icon name="info" size={20} />} title="Event data erased">
          The customer of this event was deleted, and their data was removed from the event.
        </Alert>
      )}
      <Paper>
        <PropertyList
          items={{
            Created: <RelativeTime at={event.created_at} />,
            Subject: <EventSubject event={event} />,
            Project: <ProjectName link id={event.project_id} fallback="None" />,
            Organization: <OrganizationName link id={event.organization_id} />,
          }}
        />
      </Paper>
      <section aria-label="Deliveries">
        <Title order={2}>Deliveries</Title>
        <EventDeliveries eventId={event.id} />
      </section>
      <section aria-label="Body">
        <Title order={2} mb="xs">
          Body
        </Title>
        <JsonView name="Webhook payload" value={event} />
      </section>
    </Stack>
  );
}

const columns: Column<Delivery>[] = [
  summaryColumns.state,
  {
    header: 'Endpoint',
    primary: true,
    truncate: true,
    cell: (row) => <UntrustedText text={row.endpoint_name} tooltip={row.target_url} oneLine />,
  },
  {
    header: 'Type',
    wideOnly: true,
    cell: (row) => (row.redelivery_of ? <Badge tone="calm">Redelivery</Badge> : 'First delivery'),
  },
  summaryColumns.createdAt,
  {
    header: 'Finished',
    align: 'right',
    cell: (row) =>
      row.finished_at ? (
        <RelativeTime at={row.finished_at} />
      ) : row.next_attempt_at ? (
        <>
          Next attempt <RelativeTime at={row.next_attempt_at} />
        </>
      ) : (
        'Not finished'
      ),
  },
];

function EventDeliveries({ eventId }: { eventId: string }): ReactNode {
  const list = useList({ path: '/operator/v1/events/{eventId}/deliveries', pathParams: { eventId } });
  return (
    <List
      list={list}
      noun="deliveries of this event"
      columns={columns}
      href={(row) => `/deliveries/${row.id}`}
      live
      empty={{
        title: 'No deliveries',
        text: 'When the event was created, no enabled endpoint of its project or organization subscribed to this event type.',
      }}
    />
  );
}
