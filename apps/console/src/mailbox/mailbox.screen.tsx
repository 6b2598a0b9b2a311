import { Alert, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { Can } from '../session/roles';
import { useServer } from '../session/session';
import type { Schemas } from '../http/client';
import { projectFilter, textFilter } from '../lists/filters';
import { List } from '../lists/list';
import type { Column } from '../lists/list-table';
import { useList } from '../lists/use-list';
import { UntrustedText } from '../components/untrusted-text';
import { Icon } from '../components/icon';
import { Page } from '../components/page';
import { ProjectName } from '../components/record-name';
import { RelativeTime } from '../components/relative-time';
import { Badge } from '../components/status-badge';
import { MailDrawer } from './mail-drawer';
import { mailKinds } from '../mails/mail-kinds';

type Mail = Schemas['MailboxEntry'];

// The API rejects incomplete email addresses.
const filters = {
  email: textFilter('Recipient', 'Email address of the recipient', /^[^\s@]+@[^\s@]+$/),
  projectId: projectFilter(),
};

const columns: Column<Mail>[] = [
  { header: 'Type', width: '13rem', cell: (row) => <Badge tone="calm">{mailKinds[row.kind]}</Badge> },
  {
    header: 'Subject',
    primary: true,
    truncate: true,
    cell: (row) => <UntrustedText text={row.subject} oneLine />,
  },
  { header: 'To', truncate: true, width: '24%', cell: (row) => <UntrustedText text={row.to} oneLine /> },
  {
    header: 'Project',
    truncate: true,
    width: '14%',
    wideOnly: true,
    cell: (row) => <ProjectName id={row.projectId} fallback="None" />,
  },
  { header: 'Time', align: 'right', cell: (row) => <RelativeTime at={row.createdAt} /> },
];

/** The captured emails, or a notice that explains why there are none. */
export function MailboxScreen(): ReactNode {
  const server = useServer();
  if (!server.mailbox) return <MailboxDisabledNotice />;
  return (
    <Can role="operator" fallback={<ViewerNotice />}>
      <Mailbox />
    </Can>
  );
}

const OTHER_PARAMS = ['mail'] as const;

function Mailbox(): ReactNode {
  const list = useList({
    name: 'mailbox',
    path: '/operator/v1/mailbox',
    count: '/operator/v1/mailbox/count',
    filters,
    otherParams: OTHER_PARAMS,
  });
  const [search, setSearch] = useSearchParams();
  const id = search.get('mail');
  const searchWithMail = (mail: string | null): string => {
    const to = new URLSearchParams(search);
    if (mail) to.set('mail', mail);
    else to.delete('mail');
    return to.toString();
  };
  return (
    <Page title="Mailbox" description="No mail server is configured. Emails are captured here and not sent.">
      <List
        list={list}
        noun="emails"
        columns={columns}
        href={(row) => `/mailbox?${searchWithMail(row.id)}`}
        live
        empty={{
          title: 'No emails yet',
          text: 'Register a customer or request a password reset. The email with its link appears here immediately.',
        }}
      />
      <MailDrawer
        id={id}
        initialMail={list.rows.find((row) => row.id === id)}
        onClose={() => setSearch(searchWithMail(null), { replace: true, preventScrollReset: true })}
      />
    </Page>
  );
}

function ViewerNotice(): ReactNode {
  return (
    <Page title="Mailbox">
      <Alert color="gray" icon={<Icon name="lock" size={20} />} title="Operators and admins only">
        The links in emails give access to anyone who opens them, so viewers cannot see the mailbox.
      </Alert>
    </Page>
  );
}

function MailboxDisabledNotice(): ReactNode {
  return (
    <Page title="Mailbox">
      <Alert color="gray" icon={<Icon name="mailbox" size={20} />} title="The mailbox is disabled">
        <Text>
          A mail server is configured, so emails are sent to their recipients and not captured. Anyone who
          sees an email could use its link. Go to Health to see how many emails are waiting to be sent, and to
          send a test email.
        </Text>
      </Alert>
    </Page>
  );
}
