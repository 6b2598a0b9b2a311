import type { ReactNode } from 'react';
import type { Filters } from '../lists/filters';
import { List } from '../lists/list';
import type { EmptyContent } from '../lists/list-notice';
import type { Column } from '../lists/list-table';
import { useList } from '../lists/use-list';
import type { ListName } from '../lists/use-list-params';
import { ProjectName } from '../components/record-name';
import { RelativeTime } from '../components/relative-time';
import { StatusBadge } from '../components/status-badge';
import { UntrustedText } from '../components/untrusted-text';
import { mailKinds } from './mail-kinds';
import { MailLogDrawer } from './mail-log-drawer';
import { mailProblem, type MailLogEntry } from './mail-log';
import { useMailParam } from './use-mail-param';

/** The columns for email lists. */
export const mailColumns = {
  kind: { header: 'Type', primary: true, cell: (row) => mailKinds[row.kind] ?? row.kind },
  recipient: {
    header: 'To',
    truncate: true,
    width: '26%',
    cell: (row) => <UntrustedText text={row.recipient} oneLine fallback="Deleted" />,
  },
  state: { header: 'Status', cell: (row) => <StatusBadge state={row.state} /> },
  problem: {
    header: 'Reason',
    truncate: true,
    width: '24%',
    cell: (row) => <UntrustedText text={mailProblem(row)} oneLine />,
  },
  project: {
    header: 'Project',
    truncate: true,
    width: '14%',
    wideOnly: true,
    cell: (row) => <ProjectName id={row.projectId} fallback="None" />,
  },
  time: { header: 'Time', align: 'right', cell: (row) => <RelativeTime at={row.createdAt} /> },
} satisfies Record<string, Column<MailLogEntry>>;

interface MailListProps {
  name?: ListName;
  columns: Column<MailLogEntry>[];
  filters: Filters;
  /** True to link captured emails to the mailbox. */
  hasMailbox: boolean;
  empty: EmptyContent;
}

const OTHER_PARAMS = ['mail'] as const;

/** Lists emails, with a drawer for the selected one. */
export function MailList({ name, columns, filters, hasMailbox, empty }: MailListProps): ReactNode {
  const list = useList<'/operator/v1/mails', MailLogEntry>({
    name,
    path: '/operator/v1/mails',
    count: '/operator/v1/mails/count',
    filters,
    otherParams: OTHER_PARAMS,
  });
  const { id, mailPath, close } = useMailParam();
  return (
    <>
      <List list={list} noun="emails" columns={columns} href={(row) => mailPath(row.id)} live empty={empty} />
      <MailLogDrawer
        id={id}
        initialMail={list.rows.find((row) => row.id === id)}
        hasMailbox={hasMailbox}
        onClose={close}
      />
    </>
  );
}
