import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Schemas } from '../http/client';
import { errorLabel } from './explain-attempt';
import { ProjectName } from '../components/record-name';
import { RelativeTime } from '../components/relative-time';
import { HttpStatus, StatusBadge } from '../components/status-badge';
import { UntrustedText } from '../components/untrusted-text';
import type { Column } from '../lists/list-table';

type Summary = Schemas['DeliverySummaryResponse'];
export type ListedDelivery = Schemas['ListedDeliveryResponse'];

/** Renders the name of a delivery's endpoint, with a link to the endpoint. */
function EndpointLink({ delivery }: { delivery: Summary }): ReactNode {
  return (
    <Anchor component={Link} to={`/endpoints/${delivery.endpoint_id}`} inherit>
      <UntrustedText text={delivery.endpoint_name} tooltip={delivery.target_url} oneLine />
    </Anchor>
  );
}

function CustomerLink({ customer_id: id, customer_email: email }: ListedDelivery): ReactNode {
  if (!id) return '–';
  return (
    <Anchor component={Link} to={`/customers/${id}`} inherit>
      <UntrustedText text={email} oneLine />
    </Anchor>
  );
}

function NextAttempt({ state, next_attempt_at: dueAt }: Summary): ReactNode {
  if (dueAt) return <RelativeTime at={dueAt} />;
  return state === 'pending' ? 'In progress' : '–';
}

/** The columns for delivery lists. Each list selects the columns that it has space for. */
export const summaryColumns = {
  event: { header: 'Event', primary: true, cell: (row) => row.event },
  endpoint: {
    header: 'Endpoint',
    truncate: true,
    width: '18%',
    cell: (row) => <EndpointLink delivery={row} />,
  },
  project: {
    header: 'Project',
    truncate: true,
    width: '14%',
    wideOnly: true,
    cell: (row) => <ProjectName id={row.project_id} fallback="None" />,
  },
  state: {
    header: 'Status',
    status: true,
    cell: (row) => <StatusBadge state={row.resolution ?? row.state} />,
  },
  nextAttempt: {
    header: 'Next attempt',
    align: 'right',
    wideOnly: true,
    cell: (row) => <NextAttempt {...row} />,
  },
  createdAt: { header: 'Created', align: 'right', cell: (row) => <RelativeTime at={row.created_at} /> },
} satisfies Record<string, Column<Summary>>;

/** The columns that only the delivery list has. */
export const deliveryColumns = {
  customer: {
    header: 'Customer',
    truncate: true,
    width: '18%',
    cell: (row) => <CustomerLink {...row} />,
  },
  response: {
    header: 'Last response',
    wideOnly: true,
    cell: ({ last_attempt: last }) => (
      <HttpStatus status={last && last.http_status} error={last?.error && errorLabel(last.error)} />
    ),
  },
  attempts: { header: 'Attempts', align: 'right', cell: (row) => `${row.attempt} of ${row.max_attempts}` },
} satisfies Record<string, Column<ListedDelivery>>;
