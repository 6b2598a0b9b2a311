import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Actor } from '../audit/actor';
import { choiceFilter } from '../lists/filters';
import { List } from '../lists/list';
import type { Column } from '../lists/list-table';
import { useList } from '../lists/use-list';
import { UntrustedText } from '../components/untrusted-text';
import { Page } from '../components/page';
import type { NamedBatch } from './redelivery-batch';
import { RelativeTime } from '../components/relative-time';
import { StatusBadge } from '../components/status-badge';
import { BatchFilterLine } from './batch-details';
import { batchKindLabel } from './batch-format';
import { BatchBar } from './batch-bar';

const filters = {
  state: choiceFilter('Status', {
    planned: 'Planned',
    running: 'Running',
    completed: 'Completed',
    cancelled: 'Canceled',
    expired: 'Expired',
  }),
};

const columns: Column<NamedBatch>[] = [
  { header: 'Status', status: true, width: '8rem', cell: (row) => <StatusBadge state={row.state} /> },
  { header: 'Type', primary: true, cell: (row) => batchKindLabel(row) },
  {
    header: 'Filter',
    truncate: true,
    width: '22%',
    cell: (row) => <BatchFilterLine batch={row} />,
  },
  {
    header: 'Reason',
    truncate: true,
    width: '18%',
    wideOnly: true,
    cell: (row) => <UntrustedText text={row.reason} oneLine />,
  },
  { header: 'Progress', width: '11rem', cell: (row) => <BatchBar batch={row} isSmall /> },
  {
    header: 'By',
    truncate: true,
    width: '13%',
    wideOnly: true,
    cell: (row) => (
      <Actor
        actor={row.started_by ?? row.created_by}
        name={row.started_by ? row.started_by_name : row.created_by_name}
        oneLine
      />
    ),
  },
  { header: 'Planned', align: 'right', cell: (row) => <RelativeTime at={row.created_at} /> },
];

export function BatchesScreen(): ReactNode {
  const list = useList({
    name: 'batches',
    path: '/operator/v1/webhooks/redeliveries',
    count: '/operator/v1/webhooks/redeliveries/count',
    filters,
  });
  return (
    <Page
      title="Batches"
      description="Bulk redeliveries and endpoint recoveries. Plan a batch, start it, and follow its progress."
    >
      <List
        list={list}
        noun="batches"
        columns={columns}
        href={(row) => `/batches/${row.id}`}
        live
        empty={{
          title: 'No batches yet',
          text: 'Filter the dead letters and redeliver all matching ones, or recover the events that an endpoint missed.',
          action: (
            <Button component={Link} to="/dead-letters" variant="default" size="xs">
              Go to dead letters
            </Button>
          ),
        }}
      />
    </Page>
  );
}
