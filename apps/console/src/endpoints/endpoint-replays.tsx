import { Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Actor } from '../audit/actor';
import type { Schemas } from '../http/client';
import { List } from '../lists/list';
import type { Column } from '../lists/list-table';
import { useList } from '../lists/use-list';
import { comparison } from '../charts/compare-switch';
import { errorLabel } from '../deliveries/explain-attempt';
import { RelativeTime } from '../components/relative-time';
import { HttpStatus, StatusBadge } from '../components/status-badge';
import { UntrustedText } from '../components/untrusted-text';

const columns: Column<Schemas['ReplayResponse']>[] = [
  {
    header: 'Response',
    width: '10rem',
    cell: ({ http_status: status, error, state }) =>
      status === null ? (
        <StatusBadge state={state} />
      ) : (
        <HttpStatus status={status} error={error && errorLabel(error)} />
      ),
  },
  { header: 'Event', primary: true, cell: (row) => row.event },
  { header: 'URL', truncate: true, cell: (row) => <UntrustedText text={row.url} oneLine mono /> },
  {
    header: 'By',
    wideOnly: true,
    truncate: true,
    width: '20%',
    cell: (row) => <Actor actor={row.created_by} name={row.created_by_name} oneLine />,
  },
  { header: 'Time', align: 'right', cell: (row) => <RelativeTime at={row.created_at} /> },
];

const OTHER_PARAMS = ['window', comparison.name] as const;

/** Lists replays to other URLs for an endpoint's deliveries. Renders nothing if there are none. */
export function EndpointReplays({ endpointId }: { endpointId: string }): ReactNode {
  const list = useList({
    path: '/operator/v1/webhooks/replays',
    fixedQuery: { endpoint_id: endpointId },
    otherParams: OTHER_PARAMS,
    pageSize: 10,
  });
  if (list.rows.length === 0) return null;
  return (
    <section aria-label="Replays to other URLs">
      <Title order={2}>Replays to other URLs</Title>
      <List
        list={list}
        noun="replays"
        columns={columns}
        href={(row) => `/deliveries/${row.delivery_id}`}
        live
        empty={{ title: 'No replays', text: 'Select attempts to replay their deliveries to another URL.' }}
      />
    </section>
  );
}
