import type { ReactNode } from 'react';
import { useLocation, useSearchParams } from 'react-router';
import type { Filters, ListQuery } from './filters';
import { List } from './list';
import type { EmptyContent } from './list-notice';
import type { Column } from './list-table';
import { useList } from './use-list';
import type { ListName } from './use-list-params';
import { ProjectName } from '../components/record-name';
import { RelativeTime } from '../components/relative-time';
import { StatusBadge } from '../components/status-badge';
import { UntrustedText } from '../components/untrusted-text';
import { mailKinds } from '../components/mail-kinds';
import { MailLogDrawer } from './mail-log-drawer';
import type { MailLogEntry } from './mail-log';

/** The columns of lists of emails. */
export const mailColumns = {
  kind: { header: 'Type', primary: true, cell: (row) => mailKinds[row.kind] ?? row.kind },
  recipient: {
    header: 'To',
    truncate: true,
    width: '34%',
    cell: (row) => <UntrustedText text={row.recipient} oneLine fallback="Deleted" />,
  },
  state: { header: 'Status', cell: (row) => <StatusBadge state={row.state} /> },
  project: {
    header: 'Project',
    truncate: true,
    width: '16%',
    wideOnly: true,
    cell: (row) => <ProjectName id={row.projectId} fallback="None" />,
  },
  time: { header: 'Time', align: 'right', cell: (row) => <RelativeTime at={row.createdAt} /> },
} satisfies Record<string, Column<MailLogEntry>>;

interface MailListProps {
  name?: ListName;
  columns: Column<MailLogEntry>[];
  filters: Filters;
  fixedQuery?: ListQuery;
  /** True to link captured emails to the mailbox. */
  hasMailbox: boolean;
  empty: EmptyContent;
}

const OTHER_PARAMS = ['mail', 'tab'] as const;

/** Lists emails, with a drawer for single ones. */
export function MailList({
  name,
  columns,
  filters,
  fixedQuery,
  hasMailbox,
  empty,
}: MailListProps): ReactNode {
  const list = useList<'/operator/v1/mails', MailLogEntry>({
    name,
    path: '/operator/v1/mails',
    count: '/operator/v1/mails/count',
    filters,
    fixedQuery,
    otherParams: OTHER_PARAMS,
  });
  const { pathname } = useLocation();
  const [search, setSearch] = useSearchParams();
  const id = search.get('mail');
  const searchWithMail = (mail: string | null): string => {
    const to = new URLSearchParams(search);
    if (mail) to.set('mail', mail);
    else to.delete('mail');
    return to.toString();
  };
  return (
    <>
      <List
        list={list}
        noun="emails"
        columns={columns}
        href={(row) => `${pathname}?${searchWithMail(row.id)}`}
        live
        empty={empty}
      />
      <MailLogDrawer
        id={id}
        initialMail={list.rows.find((row) => row.id === id)}
        hasMailbox={hasMailbox}
        onClose={() => setSearch(searchWithMail(null), { replace: true, preventScrollReset: true })}
      />
    </>
  );
}
