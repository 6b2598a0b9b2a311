import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { timeFilter } from '../lists/filters';
import { List } from '../lists/list';
import type { Column } from '../lists/list-table';
import { useList, type RowOf } from '../lists/use-list';
import { UntrustedText } from '../components/untrusted-text';
import { shortId } from '../components/id';
import { RelativeTime } from '../components/relative-time';

type Entry = RowOf<'/operator/v1/audit-log'>;

const filters = { time: timeFilter('Time', 'createdAfter', 'createdBefore') };

const actorLabels: Record<string, string> = {
  key: 'API key',
  operator: 'Operator',
  customer: 'Customer',
  system: 'System',
};

const columns: Column<Entry>[] = [
  { header: 'Action', primary: true, cell: (row) => row.action },
  { header: 'Actor', cell: (row) => <Actor entry={row} /> },
  { header: 'IP address', wideOnly: true, cell: (row) => <UntrustedText text={row.ip} mono /> },
  {
    header: 'Details',
    truncate: true,
    width: '34%',
    cell: (row) => <UntrustedText text={formatDetails(row.details)} oneLine />,
  },
  { header: 'Time', align: 'right', cell: (row) => <RelativeTime at={row.createdAt} /> },
];

function Actor({ entry }: { entry: Entry }): ReactNode {
  const { actorType, actorId, actorName, targetId } = entry;
  const actorLabel = actorLabels[actorType] ?? actorType;
  if (!actorId || actorId === targetId) return actorLabel;
  return (
    <span>
      {actorLabel} <UntrustedText text={actorName ?? shortId(actorId)} />
    </span>
  );
}

/** Formats details as "changed: firstName, lastName". */
function formatDetails(details: Record<string, unknown>): string {
  return Object.entries(details)
    .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') : formatDetail(value)}`)
    .join(' · ');
}

const formatDetail = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Renders the audit log entries about a customer. */
export function CustomerAudit({ customerId }: { customerId: string }): ReactNode {
  const list = useList({
    path: '/operator/v1/audit-log',
    count: '/operator/v1/audit-log/count',
    filters,
    fixedQuery: { targetType: 'customer', targetId: customerId },
  });
  const auditPath = `/audit?targetType=customer&targetId=${customerId}`;
  return (
    <List
      list={list}
      noun="entries"
      columns={columns}
      href={(row) => `${auditPath}&entry=${row.id}`}
      toolbar={
        <Button component={Link} to={auditPath} variant="default" size="xs">
          Open in audit log
        </Button>
      }
      empty={{
        title: 'No audit log entries',
        text: 'Changes by API keys, operators and the customer appear here.',
      }}
    />
  );
}
