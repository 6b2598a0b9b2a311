import { Anchor, Button, Paper, Stack, Text, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useHasMailbox } from '../mails/use-has-mailbox';
import type { Schemas } from '../http/client';
import { choiceFilter, timeFilter } from '../lists/filters';
import { List } from '../lists/list';
import type { Column } from '../lists/list-table';
import { MailLogDrawer } from '../mails/mail-log-drawer';
import { useList } from '../lists/use-list';
import { useMailParam } from '../mails/use-mail-param';
import { actorLabels } from '../audit/actor-labels';
import { Icon } from '../components/icon';
import { PropertyList } from '../components/property-list';
import { ProjectName } from '../components/record-name';
import { RelativeTime } from '../components/relative-time';
import { StatusBadge } from '../components/status-badge';
import { UntrustedText } from '../components/untrusted-text';
import { showInvisible } from '../components/visible-text';
import { fullName } from './customer-state';
import classes from './customer-timeline.module.css';
import {
  describeDelivery,
  describeEntry,
  entryDetails,
  entryPath,
  isFailure,
  kindIcons,
  timelineKinds,
  type TimelineEntry,
} from './timeline-entry';

type Customer = Schemas['OperatorCustomerResponse'];

const filters = {
  kinds: choiceFilter('Kind', timelineKinds),
  time: timeFilter('Time', 'createdAfter', 'createdBefore'),
};

const columns: Column<TimelineEntry>[] = [
  { header: 'What happened', primary: true, width: '40%', cell: (row) => <Sentence entry={row} /> },
  { header: 'Details', truncate: true, width: '28%', cell: (row) => <Details entry={row} /> },
  { header: 'By', truncate: true, width: '18%', cell: (row) => <EntryActor entry={row} /> },
  { header: 'Time', align: 'right', cell: (row) => <RelativeTime at={row.createdAt} /> },
];

/** Maximum number of deliveries per row. The event's screen shows all of them. */
const MAX_DELIVERIES = 2;

const OTHER_PARAMS = ['tab', 'mail'] as const;

/** Renders a customer's main properties and timeline, newest entry first. */
export function CustomerTimeline({ customer }: { customer: Customer }): ReactNode {
  const { id: customerId } = customer;
  const hasMailbox = useHasMailbox();
  const mail = useMailParam();
  const list = useList({
    path: '/operator/v1/customers/{customerId}/timeline',
    pathParams: { customerId },
    filters,
    otherParams: OTHER_PARAMS,
  });
  return (
    <Stack>
      <Facts customer={customer} />
      <div>
        <List
          list={list}
          noun="entries"
          columns={columns}
          href={(row) => (row.source === 'mail' ? mail.mailPath(row.id) : entryPath(row, customerId))}
          toolbar={<RecordLinks customerId={customerId} />}
          live
          empty={{
            title: 'No activity yet',
            text: 'Sign-ins, changes, emails and webhooks for this customer appear here until their retention time ends.',
          }}
        />
      </div>
      <MailLogDrawer id={mail.id} initialMail={undefined} hasMailbox={hasMailbox} onClose={mail.close} />
    </Stack>
  );
}

function Facts({ customer }: { customer: Customer }): ReactNode {
  return (
    <Paper>
      <PropertyList
        items={{
          Name: <UntrustedText text={fullName(customer)} />,
          Project: <ProjectName id={customer.projectId} link />,
          'External ID': <UntrustedText text={customer.externalId} mono />,
          Password: customer.hasPassword ? 'Set' : 'Not set',
          'Last sign-in': <RelativeTime at={customer.lastLoginAt} fallback="Never" />,
          Created: <RelativeTime at={customer.createdAt} />,
        }}
      />
    </Paper>
  );
}

/** Renders links to the customer's records in other lists, with all fields and filters. */
function RecordLinks({ customerId }: { customerId: string }): ReactNode {
  const links = {
    'All emails': `/mails?customerId=${customerId}`,
    'All events': `/events?customer_id=${customerId}`,
    'Audit log': `/audit?targetType=customer&targetId=${customerId}`,
  };
  return Object.entries(links).map(([label, to]) => (
    <Button key={label} component={Link} to={to} variant="default" size="xs">
      {label}
    </Button>
  ));
}

function Sentence({ entry }: { entry: TimelineEntry }): ReactNode {
  return (
    <span className={classes.sentence} data-failure={isFailure(entry) || undefined}>
      <Icon name={kindIcons[entry.kind]} />
      <UntrustedText text={describeEntry(entry)} />
    </span>
  );
}

function Details({ entry }: { entry: TimelineEntry }): ReactNode {
  const text = entryDetails(entry).join(' · ');
  return (
    <>
      {/* The badge is about the webhook and not about the entry: a failed sign-in can be delivered. */}
      {entry.kind !== 'webhook' && entry.deliveries.length > 0 && (
        <Text span c="dimmed" size="xs" mr={6}>
          {entry.deliveries.length === 1 ? 'Webhook' : 'Webhooks'}
        </Text>
      )}
      {entry.deliveries.slice(0, MAX_DELIVERIES).map((delivery) => (
        <Anchor
          key={delivery.id}
          component={Link}
          to={`/deliveries/${delivery.id}`}
          mr={6}
          title={showInvisible(describeDelivery(delivery))}
        >
          <StatusBadge state={delivery.resolution ?? delivery.state} />
          <VisuallyHidden>, {showInvisible(describeDelivery(delivery))}</VisuallyHidden>
        </Anchor>
      ))}
      {entry.deliveries.length > MAX_DELIVERIES && `+${entry.deliveries.length - MAX_DELIVERIES} `}
      {text && <UntrustedText text={text} oneLine />}
    </>
  );
}

function EntryActor({ entry: { actor } }: { entry: TimelineEntry }): ReactNode {
  if (!actor) return null;
  const label = actorLabels[actor.type];
  // The page is about this customer, so the name is omitted.
  const isNamed = actor.type !== 'customer';
  return <UntrustedText text={isNamed && actor.name ? `${label} ${actor.name}` : label} oneLine />;
}
