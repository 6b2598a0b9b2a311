import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import {
  choiceFilter,
  organizationFilter,
  projectFilter,
  recordFilter,
  textFilter,
  timeFilter,
} from '../lists/filters';
import { List } from '../lists/list';
import type { Column } from '../lists/list-table';
import { useList } from '../lists/use-list';
import { UntrustedText } from '../components/untrusted-text';
import { Icon } from '../components/icon';
import { Page } from '../components/page';
import { ProjectName } from '../components/record-name';
import { RelativeTime } from '../components/relative-time';
import { Badge } from '../components/status-badge';
import { actionOptions, actorTypes, targetTypes, type AuditEntry } from './audit-actions';
import { AuditDrawer } from './audit-drawer';
import { AuditActor, formatDetails, AuditTarget } from './audit-cells';

const ID = /^[\w-]{1,64}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The search result kinds that can be actors, and their labels. */
const actorKinds = { operator: 'Operator', api_key: 'API key', customer: 'Customer' };

/** The search result kinds that can be targets, and their labels. */
const targetKinds = {
  ...actorKinds,
  endpoint: 'Endpoint',
  project: 'Project',
  organization: 'Organization',
  delivery: 'Delivery',
  batch: 'Batch',
};

const filters = {
  targetId: recordFilter('Target', targetKinds, ID),
  action: choiceFilter('Action', actionOptions),
  actorType: choiceFilter('Actor type', actorTypes),
  actorId: recordFilter('Operator, key or customer', actorKinds, UUID),
  targetType: choiceFilter('Target type', targetTypes),
  projectId: projectFilter(),
  organizationId: organizationFilter(),
  requestId: textFilter('Request ID', 'Request ID', ID),
  time: timeFilter('Time', 'createdAfter', 'createdBefore'),
};

const columns: Column<AuditEntry>[] = [
  {
    header: 'Action',
    primary: true,
    cell: (row) => (
      <>
        {row.action} {row.details.outcome === 'refused' && <Badge tone="warn">Refused</Badge>}
      </>
    ),
  },
  { header: 'Actor', truncate: true, width: '22%', cell: (row) => <AuditActor entry={row} /> },
  { header: 'Target', truncate: true, width: '22%', cell: (row) => <AuditTarget entry={row} /> },
  {
    header: 'Project',
    wideOnly: true,
    cell: (row) => <ProjectName id={row.projectId} fallback="" />,
  },
  {
    header: 'Details',
    truncate: true,
    width: '20%',
    cell: (row) => <UntrustedText text={formatDetails(row.details)} oneLine />,
  },
  { header: 'Time', align: 'right', cell: (row) => <RelativeTime at={row.createdAt} /> },
];

const OTHER_PARAMS = ['entry'] as const;

/** The audit log, with a drawer for the selected entry and a CSV download. */
export function AuditScreen(): ReactNode {
  const list = useList<'/operator/v1/audit-log', AuditEntry>({
    name: 'audit',
    path: '/operator/v1/audit-log',
    count: '/operator/v1/audit-log/count',
    filters,
    otherParams: OTHER_PARAMS,
  });
  const [search, setSearch] = useSearchParams();
  const id = search.get('entry');
  const withEntry = (entry: string | null): string => {
    const to = new URLSearchParams(search);
    if (entry) to.set('entry', entry);
    else to.delete('entry');
    return to.toString();
  };
  const csv = `/operator/v1/audit-log.csv?${new URLSearchParams(list.query()).toString()}`;
  return (
    <Page
      title="Audit log"
      description="Who changed what, when, and from which IP address. Customer sign-ins are recorded as events."
      actions={
        <Button
          component="a"
          href={list.filterError === null ? csv : undefined}
          download="audit-log.csv"
          title="Contains at most the newest 100,000 entries"
          variant="default"
          leftSection={<Icon name="download" />}
          disabled={list.filterError !== null}
        >
          Download CSV
        </Button>
      }
    >
      <List
        list={list}
        noun="entries"
        columns={columns}
        href={(row) => `/audit?${withEntry(row.id)}`}
        live
        empty={{
          title: 'No audit log entries yet',
          text: 'Changes by operators, API keys and customers appear here.',
        }}
      />
      <AuditDrawer
        id={id}
        initialEntry={list.rows.find((row) => row.id === id)}
        onClose={() => setSearch(withEntry(null), { replace: true, preventScrollReset: true })}
      />
    </Page>
  );
}
